// SPDX-License-Identifier: MIT
// Changes a store through the multidimensional objects of the driver. Methods that this version of
// GDAL lacks can be called, too:
//   zarr_mdim_edit STORE < COMMANDS
// Each line of the input is a JSON object with one command. Each line of the output is a JSON
// object with "ok", "errors" (messages) and, for some commands, "value". Commands refer to objects
// by name. "hold" opens an object and gives it a name, "drop" releases the object. "root" is the
// root group.
//   {"hold": NAME, "from": NAME, "group" | "array" | "attribute": NAME | "dimension": NUMBER}
//   {"drop": NAME}  {"close": true} (the dataset)  {"flush": true}
//   {"describe": NAME} (its full name and its members)
//   {"rename": NAME, "to": NAME}  {"resize": NAME, "to": [SIZE, ...]}
//   {"delete": "group" | "array" | "attribute", "from": NAME, "name": NAME}
//   {"create": "group" | "array" (of Int32) | "attribute" (of Int32), "from": NAME, "name": NAME,
//    "dimensions": [NAME, ...] (held)}
//   {"create": "dimension", "from": NAME, "name": NAME, "size": NUMBER}
//   {"read": NAME} (an array or attribute, in row-major order)  {"write": NAME, "values": [...]}
#include <cpl_error.h>
#include <gdal_priv.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/json/value.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_attribute.h"
#include "driver/multidim/mdim_dimension.h"
#include "driver/multidim/mdim_group.h"

extern "C" void CPL_DLL GDALRegister_ZarrV2();

namespace {

using zarr::json::Array;
using zarr::json::Object;
using zarr::json::Value;
using zarr_driver::ZarrAttribute;
using zarr_driver::ZarrDimension;
using zarr_driver::ZarrGroup;
using zarr_driver::ZarrMDArray;

using Held = std::variant<std::shared_ptr<ZarrGroup>, std::shared_ptr<ZarrMDArray>,
                          std::shared_ptr<ZarrAttribute>, std::shared_ptr<ZarrDimension>>;

std::vector<std::string> emitted;

void CPL_STDCALL Collect(CPLErr severity, CPLErrorNum /*number*/, const char* message) {
    if (severity >= CE_Failure) emitted.emplace_back(message);
}

template <class Object, class Base>
bool Hold(std::map<std::string, Held>& held, const std::string& name,
          const std::shared_ptr<Base>& object) {
    auto own = std::dynamic_pointer_cast<Object>(object);
    if (own == nullptr) return false;
    held.insert_or_assign(name, Held(std::move(own)));
    return true;
}

Value Sizes(const GDALAbstractMDArray& array) {
    Array sizes;
    for (const auto& dimension : array.GetDimensions())
        sizes.emplace_back(static_cast<std::uint64_t>(dimension->GetSize()));
    return Value(std::move(sizes));
}

template <class Names>
Value Texts(const Names& names) {
    Array texts;
    for (const std::string& name : names) texts.emplace_back(name);
    return Value(std::move(texts));
}

template <class List>
Value NamesOf(const List& list) {
    Array texts;
    for (const auto& item : list) texts.emplace_back(item->GetName());
    return Value(std::move(texts));
}

Value Describe(const ZarrGroup& group) {
    return Value(Object{{"name", Value(group.GetFullName())},
                        {"groups", Texts(group.GetGroupNames())},
                        {"arrays", Texts(group.GetMDArrayNames())},
                        {"dimensions", NamesOf(group.GetDimensions())},
                        {"attributes", NamesOf(group.GetAttributes())}});
}

Value Describe(const ZarrMDArray& array) {
    return Value(Object{{"name", Value(array.GetFullName())},
                        {"shape", Sizes(array)},
                        {"dimensions", NamesOf(array.GetDimensions())},
                        {"attributes", NamesOf(array.GetAttributes())}});
}

Value Describe(const ZarrAttribute& attribute) {
    return Value(Object{{"name", Value(attribute.GetFullName())}, {"shape", Sizes(attribute)}});
}

Value Describe(const ZarrDimension& dimension) {
    const auto variable = dimension.GetIndexingVariable();
    return Value(
        Object{{"name", Value(dimension.GetFullName())},
               {"size", Value(static_cast<std::uint64_t>(dimension.GetSize()))},
               {"variable", variable == nullptr ? Value() : Value(variable->GetFullName())}});
}

// All elements of an array or attribute, as doubles.
struct Whole {
    explicit Whole(const GDALAbstractMDArray& array) {
        std::size_t total = 1;
        for (const auto& dimension : array.GetDimensions()) {
            start.push_back(0);
            count.push_back(static_cast<std::size_t>(dimension->GetSize()));
            total *= count.back();
        }
        values.resize(total);
    }
    std::vector<GUInt64> start;
    std::vector<std::size_t> count;
    std::vector<double> values;
    GDALExtendedDataType type = GDALExtendedDataType::Create(GDT_Float64);
};

bool Read(const GDALAbstractMDArray& array, Value& values) {
    Whole whole(array);
    if (!array.Read(whole.start.data(), whole.count.data(), nullptr, nullptr, whole.type,
                    whole.values.data()))
        return false;
    Array list;
    for (const double number : whole.values) list.emplace_back(number);
    values = Value(std::move(list));
    return true;
}

bool Write(GDALAbstractMDArray& array, const Array& values) {
    Whole whole(array);
    for (std::size_t i = 0; i < whole.values.size(); ++i)
        values[i % values.size()].GetDouble(whole.values[i]);
    return array.Write(whole.start.data(), whole.count.data(), nullptr, nullptr, whole.type,
                       whole.values.data());
}

class Editor {
  public:
    explicit Editor(std::unique_ptr<GDALDataset> dataset) : dataset_(std::move(dataset)) {
        Hold<ZarrGroup>(held_, "root", dataset_->GetRootGroup());
    }

    bool Run(const Value& command, Value& value) {
        if (command.Find("hold") != nullptr) return HoldIt(command);
        if (command.Find("create") != nullptr) return Create(command);
        if (command.Find("delete") != nullptr) return Delete(command);
        if (command.Find("drop") != nullptr) return held_.erase(Text(command, "drop")) == 1;
        if (command.Find("close") != nullptr) {
            dataset_.reset();
            return true;
        }
        if (command.Find("flush") != nullptr) {
            dataset_->FlushCache(false);
            return true;
        }
        if (command.Find("rename") != nullptr) return Rename(command);
        if (command.Find("resize") != nullptr) return Resize(command);
        if (command.Find("describe") != nullptr) {
            value = std::visit([](const auto& object) { return Describe(*object); },
                               held_.at(Text(command, "describe")));
            return true;
        }
        if (command.Find("read") != nullptr) {
            const GDALAbstractMDArray* array = AsArray(Text(command, "read"));
            return array != nullptr && Read(*array, value);
        }
        GDALAbstractMDArray* array = AsArray(Text(command, "write"));
        const Value* values = command.Find("values");
        return array != nullptr && values != nullptr && Write(*array, *values->as_array());
    }

  private:
    static std::string Text(const Value& command, const char* member) {
        const Value* value = command.Find(member);
        const std::string* text = value != nullptr ? value->as_string() : nullptr;
        return text != nullptr ? *text : std::string();
    }

    template <class Object>
    Object* As(const std::string& name) {
        auto* const found = std::get_if<std::shared_ptr<Object>>(&held_.at(name));
        return found == nullptr ? nullptr : found->get();
    }

    GDALAbstractMDArray* AsArray(const std::string& name) {
        if (auto* const array = As<ZarrMDArray>(name)) return array;
        return As<ZarrAttribute>(name);
    }

    bool HoldIt(const Value& command) {
        const std::string name = Text(command, "hold");
        const std::string from = Text(command, "from");
        auto* const group = As<ZarrGroup>(from);
        auto* const array = As<ZarrMDArray>(from);
        if (command.Find("group") != nullptr)
            return Hold<ZarrGroup>(held_, name, group->OpenGroup(Text(command, "group")));
        if (command.Find("array") != nullptr)
            return Hold<ZarrMDArray>(held_, name, group->OpenMDArray(Text(command, "array")));
        const std::string attribute = Text(command, "attribute");
        if (!attribute.empty())
            return Hold<ZarrAttribute>(
                held_, name,
                group != nullptr ? group->GetAttribute(attribute) : array->GetAttribute(attribute));
        std::int64_t index = 0;
        command.Find("dimension")->GetInt64(index);
        const auto dimensions = group != nullptr ? group->GetDimensions() : array->GetDimensions();
        return Hold<ZarrDimension>(held_, name, dimensions.at(static_cast<std::size_t>(index)));
    }

    bool Create(const Value& command) {
        const std::string kind = Text(command, "create");
        const std::string name = Text(command, "name");
        auto* const group = As<ZarrGroup>(Text(command, "from"));
        const auto type = GDALExtendedDataType::Create(GDT_Int32);
        if (kind == "group") return Hold<ZarrGroup>(held_, name, group->CreateGroup(name));
        if (kind == "attribute") {
            auto* const array = As<ZarrMDArray>(Text(command, "from"));
            return Hold<ZarrAttribute>(held_, name,
                                       group != nullptr ? group->CreateAttribute(name, {}, type)
                                                        : array->CreateAttribute(name, {}, type));
        }
        if (kind == "dimension") {
            std::uint64_t size = 0;
            command.Find("size")->GetUint64(size);
            return Hold<ZarrDimension>(held_, name, group->CreateDimension(name, "", "", size));
        }
        std::vector<std::shared_ptr<GDALDimension>> dimensions;
        for (const Value& each : *command.Find("dimensions")->as_array())
            dimensions.push_back(
                std::get<std::shared_ptr<ZarrDimension>>(held_.at(*each.as_string())));
        return Hold<ZarrMDArray>(held_, name, group->CreateMDArray(name, dimensions, type));
    }

    bool Delete(const Value& command) {
        const std::string kind = Text(command, "delete");
        const std::string name = Text(command, "name");
        const std::string from = Text(command, "from");
        if (kind == "attribute" && As<ZarrMDArray>(from) != nullptr)
            return As<ZarrMDArray>(from)->DeleteAttribute(name);
        auto* const group = As<ZarrGroup>(from);
        return kind == "attribute" ? group->DeleteAttribute(name)
               : kind == "array"   ? group->DeleteMDArray(name)
                                   : group->DeleteGroup(name);
    }

    bool Rename(const Value& command) {
        return std::visit([&](auto& object) { return object->Rename(Text(command, "to")); },
                          held_.at(Text(command, "rename")));
    }

    bool Resize(const Value& command) {
        std::vector<GUInt64> shape;
        for (const Value& size : *command.Find("to")->as_array()) {
            std::uint64_t number = 0;
            size.GetUint64(number);
            shape.push_back(number);
        }
        return As<ZarrMDArray>(Text(command, "resize"))->Resize(shape);
    }

    std::unique_ptr<GDALDataset> dataset_;
    std::map<std::string, Held> held_;
};

void Answer(bool ok, const Value& value) {
    Object answer{{"ok", Value(ok)}, {"errors", Texts(emitted)}};
    if (!value.is_null()) answer.emplace_back("value", value);
    std::cout << zarr::json::Dump(Value(std::move(answer))) << std::endl;
    emitted.clear();
}

int Run(const char* store) {
    CPLSetConfigOption("GDAL_PAM_ENABLED", "NO");
    GDALRegister_ZarrV2();
    CPLSetErrorHandler(Collect);
    {
        const char* const drivers[] = {"Zarr", nullptr};
        std::unique_ptr<GDALDataset> dataset(
            GDALDataset::Open(store, GDAL_OF_MULTIDIM_RASTER | GDAL_OF_UPDATE, drivers));
        if (dataset == nullptr) {
            Answer(false, Value());
            return 1;
        }
        Editor editor(std::move(dataset));
        for (std::string line; std::getline(std::cin, line);) {
            const auto command = zarr::json::Parse(line);
            if (!command.ok()) return 2;
            Value value;
            const bool ok = editor.Run(*command, value);
            Answer(ok, value);
        }
    }
    // Closing the dataset may report messages, so the last line of the output follows.
    Answer(emitted.empty(), Value());
    GDALDestroyDriverManager();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return argc == 2 ? Run(argv[1]) : 2;
    } catch (const std::exception& fault) {  // the command was invalid
        std::fputs(fault.what(), stderr);
        return 2;
    }
}
