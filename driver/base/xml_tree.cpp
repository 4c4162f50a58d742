// SPDX-License-Identifier: MIT
#include "driver/base/xml_tree.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <cctype>
#include <string_view>

#include "driver/base/gdal_errors.h"

namespace zarr_driver {

namespace {

constexpr const char* kPam = "PAMDataset";

// Returns the element PAMDataset among `tree` and the nodes that follow it.
XmlTree PamIn(XmlTree tree) {
    while (tree != nullptr && !IsElement(*tree, kPam))
        tree.reset(std::exchange(tree->psNext, nullptr));
    return tree;
}

CPLXMLNode* FindPamItem(const CPLXMLNode& tree, const char* domain, const char* key) {
    for (const CPLXMLNode* const metadata : ElementsOf(&tree, "Metadata")) {
        if (!EQUAL(CPLGetXMLValue(metadata, "domain", ""), domain)) continue;
        for (CPLXMLNode* const item : ElementsOf(metadata, "MDI"))
            if (EQUAL(CPLGetXMLValue(item, "key", ""), key)) return item;
    }
    return nullptr;
}

}  // namespace

XmlTree NewPam() { return XmlTree(CPLCreateXMLNode(nullptr, CXT_Element, kPam)); }

XmlTree ParseXml(const std::string& text) {
    const QuietErrors quiet;
    return XmlTree(text.empty() ? nullptr : CPLParseXMLString(text.c_str()));
}

XmlTree ParsePam(const std::string& text) { return PamIn(ParseXml(text)); }

XmlTree ReadPamFile(const std::string& path) {
    const QuietErrors quiet;
    return PamIn(XmlTree(CPLParseXMLFile(path.c_str())));
}

XmlTree CopyOf(const CPLXMLNode& node) {
    CPLXMLNode alone = node;
    alone.psNext = nullptr;
    return XmlTree(CPLCloneXMLTree(&alone));
}

std::string ElementText(const CPLXMLNode& node) {
    CPLXMLNode alone = node;
    alone.psNext = nullptr;
    const std::unique_ptr<char, decltype(&VSIFree)> text(CPLSerializeXMLTree(&alone), VSIFree);
    return text != nullptr ? text.get() : "";
}

bool IsElement(const CPLXMLNode& node, const char* name) {
    return node.eType == CXT_Element && EQUAL(node.pszValue, name);
}

bool IsEmptyElement(const CPLXMLNode& node) { return ElementsOf(&node).empty(); }

std::vector<CPLXMLNode*> ElementsOf(const CPLXMLNode* parent, const char* name) {
    std::vector<CPLXMLNode*> elements;
    for (CPLXMLNode* child = parent != nullptr ? parent->psChild : nullptr; child != nullptr;
         child = child->psNext)
        if (child->eType == CXT_Element && (name == nullptr || EQUAL(child->pszValue, name)))
            elements.push_back(child);
    return elements;
}

CPLXMLNode* FirstElement(const CPLXMLNode* parent, const char* name) {
    const auto elements = ElementsOf(parent, name);
    return elements.empty() ? nullptr : elements.front();
}

std::string IdentityOf(const CPLXMLNode& node) {
    std::string identity = node.pszValue;
    for (const char* name : {"band", "domain", "key"})
        identity += std::string(1, '\0') + CPLGetXMLValue(&node, name, "");
    for (char& c : identity) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return identity;
}

std::map<std::string, CPLXMLNode*> ElementsById(const CPLXMLNode* parent) {
    std::map<std::string, CPLXMLNode*> elements;
    for (CPLXMLNode* const node : ElementsOf(parent)) elements.try_emplace(IdentityOf(*node), node);
    return elements;
}

std::vector<XmlTree> TakeElements(CPLXMLNode& parent,
                                  const std::function<bool(CPLXMLNode&)>& is_wanted) {
    std::vector<XmlTree> taken;
    for (CPLXMLNode* const child : ElementsOf(&parent)) {
        if (!is_wanted(*child)) continue;
        CPLRemoveXMLChild(&parent, child);
        taken.emplace_back(child);
    }
    return taken;
}

std::string PamItem(const CPLXMLNode& tree, const char* domain, const char* key) {
    const CPLXMLNode* const item = FindPamItem(tree, domain, key);
    return item != nullptr ? CPLGetXMLValue(item, "", "") : "";
}

void SetPamItem(CPLXMLNode& tree, const char* domain, const char* key, const std::string& value) {
    if (CPLXMLNode* const item = FindPamItem(tree, domain, key))
        CPLSetXMLValue(item, "", value.c_str());
}

void AddPamItems(CPLXMLNode& tree, const char* domain,
                 const std::vector<std::pair<std::string, std::string>>& items) {
    CPLXMLNode* const node = CPLCreateXMLNode(&tree, CXT_Element, "Metadata");
    CPLAddXMLAttributeAndValue(node, "domain", domain);
    for (const auto& [key, value] : items) {
        CPLXMLNode* const item = CPLCreateXMLElementAndValue(node, "MDI", value.c_str());
        CPLAddXMLAttributeAndValue(item, "key", key.c_str());
    }
}

}  // namespace zarr_driver
