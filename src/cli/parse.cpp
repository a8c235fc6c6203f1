#include "cli/parse.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/command_set.hpp"
#include "cli/help_texts.hpp"

namespace wakelab::cli {

namespace {

class Grammar {
 public:
    Grammar() : app_(help::kProgram, "wakelab"), commands_(app_) {
        app_.footer(help::kExamples);
        app_.set_version_flag("--version", "wakelab " WAKELAB_VERSION);
        app_.get_formatter()->column_width(kColumnWidth);
        add_simulation_commands(commands_);
        add_trace_commands(commands_);
    }

    Result<Command> parse(std::span<const std::string> args);

 private:
    static constexpr std::size_t kColumnWidth = 32;

    [[nodiscard]] Error unknown_argument() const;
    [[nodiscard]] std::vector<std::string> command_names() const;
    // The command that was named, else the program.
    [[nodiscard]] const CLI::App& current() const;

    CLI::App app_;
    CommandSet commands_;
};

const CLI::App& Grammar::current() const {
    const auto commands = app_.get_subcommands();
    return commands.empty() ? app_ : *commands.front();
}

std::vector<std::string> Grammar::command_names() const {
    std::vector<std::string> names;
    for (const CLI::App* c : app_.get_subcommands({})) names.push_back(c->get_name());
    return names;
}

Error Grammar::unknown_argument() const {
    const std::vector<std::string> rest = app_.remaining(true);
    const std::string word = rest.empty() ? "" : rest.front();
    const std::string where = &current() == &app_ ? "" : current().get_name() + ": ";
    if (where.empty() && !word.starts_with('-'))
        return {"unknown command '" + word + "'; did you mean " + nearest(word, command_names()) +
                "? (wakelab --help)"};
    if (!word.starts_with('-')) return {where + "unexpected argument '" + word + "'"};
    std::vector<std::string> known;
    for (const CLI::Option* option : current().get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    return {where + "unknown option '" + word + "'; did you mean " +
            nearest(split(word, '=').front(), known) + "?"};
}

Command print(std::string text) {
    return [text = std::move(text)](const Output& output) {
        output.out(text);
        return Status{};
    };
}

Result<Command> Grammar::parse(std::span<const std::string> args) {
    // CLI11 takes them last first.
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    try {
        app_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        return print(app_.help());
    } catch (const CLI::CallForVersion& version) {
        return print(std::string(version.what()) + "\n");
    } catch (const CLI::ExtrasError&) {
        return unknown_argument();
    } catch (const CLI::ParseError& error) {
        std::string line = error.what();
        // CLI11 counts here what we need not explain: no option takes but one value at a time.
        if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
            line = line.substr(0, line.find(": ")) + ": expected one value";
        std::ranges::replace(line, '\n', ' ');
        const std::string& name = current().get_name();
        const bool program = &current() == &app_;
        return Error{(program ? line : name + ": " + line) + " (wakelab " +
                     (program ? "" : name + " ") + "--help)"};
    }
    if (&current() == &app_) {
        std::string names;
        for (const std::string& name : command_names()) names += (names.empty() ? "" : ", ") + name;
        return Error{"expected a command: " + names + " (wakelab --help)"};
    }
    return commands_.command_of(current());
}

}  // namespace

Result<Command> parse(std::span<const std::string> args) {
    return Grammar().parse(args);
}

}  // namespace wakelab::cli
