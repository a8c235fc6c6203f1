// The main loop of pgbench 8.3, select-only, as workloads.md 2.1 describes it: select() over all
// connections, then every ready one in index order: take the result, send the next query at once.
//
// pgbench of today uses ppoll(), reads clocks and walks a state machine per client; its user time
// per reply is an upper bound for 2008. This loop has only the work of 2008, on the same libpq and
// server.
//
//   select_driver "<connection string>" <clients> <transactions per client>
// prints "transactions <n> loops <n>".
#include <libpq-fe.h>
#include <sys/select.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kAccounts = 10'000;  // as scripts/measure-pgbench-costs loads them

struct Client {
    PGconn* connection = nullptr;  // null once the client has done its transactions
    unsigned long transactions = 0;
};

[[noreturn]] void die(const char* what, PGconn* connection) {
    std::fprintf(stderr, "select_driver: %s: %s", what, PQerrorMessage(connection));
    std::exit(1);
}

// Replaces :aid in the script line, as the variable substitution of pgbench does for every query.
void send_query(PGconn* connection, std::minstd_rand& random) {
    const std::string aid = std::to_string(random() % kAccounts + 1);
    std::string query = "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;";
    query.replace(query.find(":aid"), 4, aid);
    if (PQsendQuery(connection, query.c_str()) == 0) die("send", connection);
}

// False while the reply is incomplete.
bool take_result(PGconn* connection) {
    if (PQconsumeInput(connection) == 0) die("receive", connection);
    if (PQisBusy(connection) != 0) return false;
    while (PGresult* result = PQgetResult(connection)) {
        if (PQresultStatus(result) != PGRES_TUPLES_OK) die("query", connection);
        PQclear(result);
    }
    return true;
}

void wait_readable(const std::vector<Client>& clients, fd_set& readable) {
    FD_ZERO(&readable);
    int highest = -1;
    for (const Client& client : clients) {
        if (client.connection == nullptr) continue;
        FD_SET(PQsocket(client.connection), &readable);
        highest = std::max(highest, PQsocket(client.connection));
    }
    if (select(highest + 1, &readable, nullptr, nullptr, nullptr) < 0) {
        std::perror("select_driver: select");
        std::exit(1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: select_driver CONNECTION CLIENTS TRANSACTIONS\n");
        return 2;
    }
    const unsigned long per_client = std::strtoul(argv[3], nullptr, 10);
    std::vector<Client> clients(std::strtoul(argv[2], nullptr, 10));
    for (Client& client : clients) {
        client.connection = PQconnectdb(argv[1]);
        if (PQstatus(client.connection) != CONNECTION_OK) die("connect", client.connection);
    }

    std::minstd_rand random(1);
    std::size_t active = clients.size();
    unsigned long loops = 0;
    for (const Client& client : clients) send_query(client.connection, random);
    while (active > 0) {
        ++loops;
        fd_set readable;
        wait_readable(clients, readable);
        for (Client& client : clients) {
            if (client.connection == nullptr) continue;
            if (!FD_ISSET(PQsocket(client.connection), &readable)) continue;
            if (!take_result(client.connection)) continue;
            if (++client.transactions < per_client) {
                send_query(client.connection, random);
                continue;
            }
            PQfinish(client.connection);
            client.connection = nullptr;
            --active;
        }
    }
    std::printf("transactions %lu loops %lu\n", per_client * clients.size(), loops);
}
