/**
 * The facts about one API group version, as text a person can read. Parsed on first use.
 *
 * `resources` has a line a resource, subresources indented below it:
 *
 *     pods Pod namespaced short:po in:all verbs:get,list
 *       eviction policy/v1.Eviction create
 *
 * that is: plural, kind, scope, short names, categories, verbs (all eight when not given); then name, kind (of the
 * same group version when not given) and verbs.
 *
 * `types` declares structs and names for other types:
 *
 *     PodSpec
 *       containers []Container 2 map:name merge:name
 *       hostname? string 16
 *       +InlinedStruct 3
 *     Protocol = string
 *     LabelSelector atomic
 *
 * A field has its JSON name, its Go type and its protobuf number (`-`: none), then in any order:
 * `map:<keys>` or `set` (list topology; atomic otherwise), `atomic` (a map replaced as a whole) or `granular` (merged by
 * its fields whatever its type says), a patch strategy with its merge key (`merge:name`, `merge+retainKeys:name`, `retainKeys`), `required` or `optional` where that does
 * not follow from `?`, `omitzero`, and `=<JSON>`, the default. `?` is Go's `omitempty`. A line that starts with `+`
 * inlines the fields of another struct. Types of other tables are prefixed with the key of the table.
 */
export interface KindTable {
  /** The name of this table in other tables. */
  readonly key: string
  readonly group: string
  readonly version: string
  /** The prefix of its definition names in OpenAPI. */
  readonly openapi: string
  readonly resources: string
  readonly types: string
}
