#!/usr/bin/env python3
"""Validates JSON files against a JSON Schema, independently of the program's own reader.

Usage: validate_json.py SCHEMA FILE...
Schemas beside SCHEMA may be referred to by file name. Exit status 0: all valid; 1: the faults are printed.
Prints "SKIPPED: ..." and exits 0 where python3-jsonschema is missing.
"""

import json
import pathlib
import sys


def load(path):
    def refuse(constant):
        raise ValueError(f"{path}: {constant} is no JSON")

    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=refuse)


def make_validator(schema_path):
    import jsonschema

    # An absolute base lets references between files resolve without a network.
    schemas = {}
    for path in sorted(pathlib.Path(schema_path).parent.glob("*.schema.json")):
        identity = "https://fa3prof.invalid/" + path.name
        schemas[identity] = {**load(path), "$id": identity}
    schema = schemas["https://fa3prof.invalid/" + pathlib.Path(schema_path).name]
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    try:
        from referencing import Registry, Resource
    except ImportError:  # jsonschema before 4.18
        return kind(schema, resolver=jsonschema.RefResolver(schema["$id"], schema, store=schemas))
    resources = [(name, Resource.from_contents(text)) for name, text in schemas.items()]
    return kind(schema, registry=Registry().with_resources(resources))


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    try:
        validator = make_validator(arguments[0])
    except ImportError:
        print("SKIPPED: python3-jsonschema is not installed")
        return 0
    faults = 0
    for path in arguments[1:]:
        for error in validator.iter_errors(load(path)):
            pointer = "/".join(map(str, error.absolute_path))
            print(f"{path} at /{pointer}: {error.message}")
            faults += 1
    print(f"{len(arguments) - 1} files, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
