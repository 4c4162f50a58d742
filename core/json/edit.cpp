// SPDX-License-Identifier: MIT
#include "core/json/edit.h"

#include <algorithm>
#include <utility>

namespace zarr::json {

Value* FindMember(Object& object, std::string_view name) {
    const auto found = std::find_if(object.begin(), object.end(),
                                    [&](const Member& member) { return member.first == name; });
    return found == object.end() ? nullptr : &found->second;
}

void PutMember(Object& object, std::string_view name, Value value) {
    if (Value* const held = FindMember(object, name))
        *held = std::move(value);
    else
        object.emplace_back(name, std::move(value));
}

}  // namespace zarr::json
