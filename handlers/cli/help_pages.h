// The pages of `trainwarden help`: an overview, and a page for each command.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {

struct HelpOption {
  std::string_view form;  // "--last 90d"
  std::string_view what;
};

struct HelpPage {
  std::string_view name;
  std::string_view group;                      // the overview's heading
  std::string_view summary;                    // one line
  std::span<const std::string_view> synopses;  // without "trainwarden"
  std::string_view about;
  std::span<const HelpOption> options;
  bool asks_aws = false;
  std::string_view exit_status;
  // Commands as they are typed. Those that name files of the repository run in its root folder.
  std::span<const std::string_view> examples;
};

std::span<const HelpPage> help_pages();
// nullptr if there is no such command.
const HelpPage* find_help_page(std::string_view command);

std::string help_overview(const Screen& screen);
std::string help_page(const HelpPage& help, const Screen& screen);

// Printed below an error in a command's arguments: its synopsis, and where to read more.
std::string usage_of(const HelpPage& page);

}  // namespace trainwarden::cli
