# SPDX-License-Identifier: MIT
"""Checks attributes of arrays and groups with the JSON schemas of Zarr conventions."""

import functools
import itertools
import json
import pathlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = pathlib.Path(__file__).resolve().parent / "schemas"
# convention -> (UUID, description, attributes that only this convention has)
KNOWN = {
    "proj": ("f17cb550-5864-4468-aeb7-f3180cfb622f", "Coordinate reference system information for geospatial data",
             ("proj:code", "proj:wkt2", "proj:projjson")),
    "spatial": ("689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", "Spatial coordinate information",
                ("spatial:transform", "spatial:bbox", "spatial:dimensions")),
    "multiscales": ("d35379db-88df-4056-af3a-620245f8e347", "Multiscale layout of zarr datasets", ()),
}  # fmt: skip


def entry_of(name):
    """Returns the entry for version 0.1 of the convention `name` that belongs in the attribute `zarr_conventions`."""
    uuid, description, _ = KNOWN[name]
    repository = f"zarr-conventions/{name}"
    return {"uuid": uuid, "name": name, "description": description,
            "schema_url": f"https://raw.githubusercontent.com/{repository}/refs/tags/v0.1/schema.json",
            "spec_url": f"https://github.com/{repository}/blob/v0.1/README.md"}  # fmt: skip


@functools.lru_cache(maxsize=None)
def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    return jsonschema.validators.validator_for(schema)(schema)


def violations(name, value):
    """Yields at most five texts, each about a part of `value` that violates the schema `name`."""
    found = sorted(itertools.islice(validator(name).iter_errors(value), 100), key=lambda error: list(map(str, error.absolute_path)))
    for error in found[:5]:
        where = "/".join(str(part) for part in error.absolute_path)
        text = error.message if len(error.message) < 200 else error.message[:200] + "..."
        yield f"{where}: {text}" if where else text


def check_conventions(store, node, report):
    if jsonschema is None:
        return report.warning("schemas-not-checked", "", "the Python module jsonschema is missing: conventions are not "
                              "checked", "apt-get install python3-jsonschema")
    attributes = node.attributes
    declared = attributes.get("zarr_conventions", [])
    if not isinstance(declared, list):
        return report.error("convention-invalid", node.path, "zarr_conventions is no list",
                            "remove the attribute zarr_conventions")
    for name in KNOWN:
        _check_convention(name, declared, node, report)
    _check_ome(node, report)


def _is_of(name, entry):
    return isinstance(entry, dict) and (
        entry.get("uuid") == KNOWN[name][0]
        or "uuid" not in entry and entry.get("schema_url", entry.get("spec_url")) in
        (entry_of(name)["schema_url"], entry_of(name)["spec_url"]))


def _check_convention(name, declared, node, report):
    uuid, _, members = KNOWN[name]
    own = entry_of(name)
    entries = [entry for entry in declared if _is_of(name, entry)]
    attributes = node.attributes
    is_used = any(member in attributes for member in members)
    if name == "multiscales":
        stated = attributes.get("multiscales")
        is_used = isinstance(stated, dict) and "layout" in stated and not node.is_array
    if not entries and not is_used:
        return
    mend = f"in zarr_conventions of /{node.path}, state {json.dumps(own)}"
    if not entries:
        report.note("convention-undeclared", node.path, f"attributes of the convention {name} are not declared in "
                    "zarr_conventions; readers that go by the declaration ignore them", mend)
    elif any(key not in own or own[key] != value for key, value in entries[0].items()):
        report.warning("convention-outdated", node.path, f"zarr_conventions declares {name} with another name or URL "
                       "than version 0.1", mend)
    # The schema also checks the declaration in zarr_conventions, whose faults were reported above. A valid declaration
    # replaces it, so that no fault is reported twice.
    checked = {**attributes, "zarr_conventions": [own]}
    document = {"zarr_format": node.format, "node_type": "array" if node.is_array else "group",
                "attributes": checked}  # fmt: skip
    for why in violations(f"{name}-0.1", document):
        report.error("convention-invalid", node.path, f"violates the schema of {name} 0.1: {why}",
                     "change the attribute as the message says, then consolidate the metadata")


def _check_ome(node, report):
    attributes = node.attributes
    ome = attributes.get("ome")
    if isinstance(ome, dict):
        version = str(ome.get("version"))[:3]
        value = {"ome": ome}
    else:
        multiscales = attributes.get("multiscales")
        entries = multiscales if isinstance(multiscales, list) else [attributes.get(k) for k in ("plate", "well")]
        versions = {str(entry.get("version")) for entry in entries if isinstance(entry, dict)}
        version = "0.4" if "0.4" in versions else ""
        value = attributes
    if version in ("0.4", "0.5", "0.6"):
        for why in violations(f"ome-{version}", value):
            report.error("ome-invalid", node.path, f"violates the schema of OME-Zarr {version}: {why}",
                         "change the attribute as the message says, then consolidate the metadata")
    elif isinstance(ome, dict):
        report.error("ome-invalid", node.path, f"ome states version {ome.get('version')!r}; 0.5 and 0.6 are known",
                     'state "version": "0.5" in the attribute ome')
