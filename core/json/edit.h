// SPDX-License-Identifier: MIT
// Changing the members of a JSON object.
#pragma once

#include <string_view>

#include "core/json/value.h"

namespace zarr::json {

// The member `name` of an object, to be changed; nullptr where there is none.
Value* FindMember(Object& object, std::string_view name);

// Sets it, or adds it at the end.
void PutMember(Object& object, std::string_view name, Value value);

}  // namespace zarr::json
