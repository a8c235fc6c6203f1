// The functions of libtracefs (1.3 and later) that are used here, as in their manual pages. Its own
// header cannot be included: an inline function of it passes an int as an enum, which is C only.
#pragma once

#include <cstdlib>

extern "C" {

struct tracefs_instance;

tracefs_instance* tracefs_instance_create(const char* name);
int tracefs_instance_destroy(tracefs_instance* instance);
void tracefs_instance_free(tracefs_instance* instance);
char* tracefs_instance_get_file(tracefs_instance* instance, const char* file);
void tracefs_put_tracing_file(char* name);
int tracefs_instance_file_write(tracefs_instance* instance, const char* file, const char* text);
int tracefs_instance_file_open(tracefs_instance* instance, const char* file, int mode);
int tracefs_trace_on(tracefs_instance* instance);
int tracefs_trace_off(tracefs_instance* instance);
int tracefs_event_enable(tracefs_instance* instance, const char* system, const char* event);
int tracefs_event_disable(tracefs_instance* instance, const char* system, const char* event);
bool tracefs_event_file_exists(tracefs_instance* instance, const char* system, const char* event,
                               const char* file);

}  // extern "C"
