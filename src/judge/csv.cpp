#include "judge/csv.hpp"

#include <fmt/format.h>

namespace wakelab::judge {

namespace {

class CsvParser {
 public:
    CsvParser(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

    Result<std::vector<CsvRecord>> parse() {
        std::vector<CsvRecord> records;
        while (at_ < text_.size()) {
            if (take_line_end()) continue;
            CsvRecord record;
            record.line = line_;
            while (true) {
                Result<std::string> field = text_[at_] == '"' ? quoted() : plain();
                if (!field) return field.error();
                record.fields.push_back(std::move(*field));
                if (at_ < text_.size() && text_[at_] == ',') {
                    ++at_;
                    if (at_ < text_.size()) continue;
                    record.fields.emplace_back();  // "a," at the end of the file
                }
                break;
            }
            take_line_end();
            records.push_back(std::move(record));
        }
        return records;
    }

 private:
    bool take_line_end() {
        std::size_t end = at_;
        if (end < text_.size() && text_[end] == '\r') ++end;
        if (end >= text_.size() || text_[end] != '\n') return false;
        at_ = end + 1;
        ++line_;
        return true;
    }

    bool at_field_end() const {
        if (at_ >= text_.size() || text_[at_] == ',' || text_[at_] == '\n') return true;
        return text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
    }

    Result<std::string> plain() {
        std::string field;
        while (!at_field_end()) {
            if (text_[at_] == '"')
                return error(line_, "a quote inside a field that does not begin with one");
            field += text_[at_++];
        }
        return field;
    }

    Result<std::string> quoted() {
        const int begin = line_;
        std::string field;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"') {
                const bool doubled = at_ + 1 < text_.size() && text_[at_ + 1] == '"';
                ++at_;
                if (!doubled) {
                    if (at_field_end()) return field;
                    return error(line_, "expected a comma or the end of the line after a quote");
                }
            }
            if (text_[at_] == '\n') ++line_;
            field += text_[at_];
        }
        return error(begin, "the quote that begins here is not closed");
    }

    Error error(int line, std::string_view what) const {
        return Error{fmt::format("{}:{}: {}", origin_, line, what)};
    }

    std::string_view text_;
    std::string_view origin_;
    std::size_t at_ = 0;
    int line_ = 1;
};

}  // namespace

Result<std::vector<CsvRecord>> parse_csv(std::string_view text, std::string_view origin) {
    return CsvParser(text, origin).parse();
}

}  // namespace wakelab::judge
