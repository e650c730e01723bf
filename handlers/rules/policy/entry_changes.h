// Reads what a restart changes in its copy's hyperparameters or environment: an object of keys, and
// strings to set them to or null to remove them. An error names the key and never the value.
#pragma once

#include <optional>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// options: of the restart; empty where they have no such member.
EntryChanges read_entry_changes(json::Value options, const EntryForm& form, Reader& reader);

// Checks the settings against each other and against the restart's other changes.
void check_settings(const CopySettings& settings, std::optional<bool> spot, Reader& reader);

}  // namespace trainwarden::rules
