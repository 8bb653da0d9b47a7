/** What judges the official suite. */
export type Engine = "ajv" | "interpreter";

type ByDraft = Readonly<Record<"draft-07" | "2020-12", readonly string[]>>;

const ofAjv: ByDraft = {
  "draft-07": [
    "ref.json: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data does not validate",
    "ref.json: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data validates",
  ],
  "2020-12": [
    "dynamicRef.json: $dynamicRef avoids the root of each schema, but scopes are still registered: data is sufficient for schema at second#/$defs/length",
    "dynamicRef.json: $dynamicRef skips over intermediate resources - direct reference: integer property passes",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first: correct extended schema",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first: correct extended schema",
    "dynamicRef.json: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated: An array of strings is valid",
    "dynamicRef.json: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope: The recursive part is not valid against the root",
    "dynamicRef.json: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope: The recursive part is valid against the root",
    "dynamicRef.json: A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor: The recursive part doesn't need to validate against the root",
    "dynamicRef.json: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution: An array of strings is valid",
    "dynamicRef.json: after leaving a dynamic scope, it is not used by a $dynamicRef: /then/$defs/thingy is the final stop for the $dynamicRef",
    "dynamicRef.json: after leaving a dynamic scope, it is not used by a $dynamicRef: first_scope is not in dynamic scope for the $dynamicRef",
    "dynamicRef.json: after leaving a dynamic scope, it is not used by a $dynamicRef: string matches /$defs/thingy, but the $dynamicRef does not stop here",
    "dynamicRef.json: multiple dynamic paths to the $dynamicRef keyword: number list with string values",
    "dynamicRef.json: multiple dynamic paths to the $dynamicRef keyword: string list with number values",
    "dynamicRef.json: tests for implementation dynamic anchor and reference link: correct extended schema",
    "unevaluatedItems.json: unevaluatedItems and contains interact to control item dependency relationship: only a's and c's are invalid",
    "unevaluatedItems.json: unevaluatedItems and contains interact to control item dependency relationship: only b's and c's are invalid",
    "unevaluatedItems.json: unevaluatedItems and contains interact to control item dependency relationship: only b's are invalid",
    "unevaluatedItems.json: unevaluatedItems and contains interact to control item dependency relationship: only c's are invalid",
    "unevaluatedItems.json: unevaluatedItems can see annotations from if without then and else: valid in case if is evaluated",
    "unevaluatedItems.json: unevaluatedItems depends on adjacent contains: contains passes, second item is not evaluated",
    "unevaluatedItems.json: unevaluatedItems depends on multiple nested contains: 7 not evaluated, fails unevaluatedItems",
    "unevaluatedItems.json: unevaluatedItems with $dynamicRef: with no unevaluated items",
    "unevaluatedItems.json: unevaluatedItems with minContains = 0: all items evaluated by contains",
    "unevaluatedItems.json: unevaluatedItems with nested items: with invalid additional item",
    "unevaluatedItems.json: unevaluatedItems with nested items: with no additional items",
    "unevaluatedProperties.json: unevaluatedProperties can see annotations from if without then and else: valid in case if is evaluated",
    "unevaluatedProperties.json: unevaluatedProperties with $dynamicRef: with no unevaluated properties",
    "unevaluatedProperties.json: unevaluatedProperties with if/then/else, then not defined: when if is false and has unevaluated properties",
    "unevaluatedProperties.json: unevaluatedProperties with if/then/else, then not defined: when if is true and has no unevaluated properties",
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates",
  ],
};

/** The interpreter has no meta-schemas of its own, and knows no vocabularies. */
const ofInterpreter: ByDraft = {
  "draft-07": [
    "definitions.json: validate definition against metaschema: invalid definition schema",
    "definitions.json: validate definition against metaschema: valid definition schema",
    "ref.json: remote ref, containing refs itself: remote ref invalid",
    "ref.json: remote ref, containing refs itself: remote ref valid",
  ],
  "2020-12": [
    "defs.json: validate definition against metaschema: invalid definition schema",
    "defs.json: validate definition against metaschema: valid definition schema",
    "ref.json: remote ref, containing refs itself: remote ref invalid",
    "ref.json: remote ref, containing refs itself: remote ref valid",
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates",
  ],
};

/** The official suite's required tests on which an engine's verdict differs, by name. */
export const knownFailures: Readonly<Record<Engine, ByDraft>> = { ajv: ofAjv, interpreter: ofInterpreter };
