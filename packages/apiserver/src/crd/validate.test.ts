import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema, ValidationRule } from '@orrery/cel/schema'
import { formatFieldError } from '@orrery/kinds/values'
import { widgets } from './test-crd.fixture.js'
import type { Crd } from './types.js'
import { validateCrd, validateCrdUpdate } from './validate.js'

const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const FIELD = 'spec.validation.openAPIV3Schema.properties[spec].properties[f]'

function errorsOf(change: (crd: Crd) => void): string[] {
  const crd = widgets()
  change(crd)
  return validateCrd(crd).map(formatFieldError)
}

function fieldErrors(field: JsonSchema): string[] {
  return validateCrd(widgets({ type: 'object', properties: { f: field } })).map(formatFieldError)
}

function ruleErrors(type: string, ...rules: ValidationRule[]): string[] {
  return fieldErrors({
    type,
    ...(type === 'array' && { items: { type: 'string' } }),
    'x-kubernetes-validations': rules,
  })
}

test('validateCrd: accepts a valid definition', () => {
  assert.deepEqual(
    errorsOf(() => undefined),
    [],
  )
})

const SPEC_CASES: [string, (crd: Crd) => void, string[]][] = [
  [
    'a group without a dot',
    (crd) => {
      crd.spec.group = 'nodot'
      crd.metadata.name = 'widgets.nodot'
    },
    ['spec.group: Invalid value: "nodot": should be a domain with at least one dot'],
  ],
  [
    'a name of its own',
    (crd) => (crd.metadata.name = 'a.example.com'),
    ['metadata.name: Invalid value: "a.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  [
    'an unknown scope',
    (crd) => (crd.spec.scope = 'Galaxy' as never),
    ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
  ],
  [
    'names that are none',
    (crd) => Object.assign(crd.spec.names, { singular: 'W', kind: 'W_', shortNames: ['-'], categories: ['A'] }),
    [
      `spec.names.singular: Invalid value: "W": ${LABEL}`,
      `spec.names.kind: Invalid value: "W_": may have mixed case, but should otherwise match: ${LABEL}`,
      `spec.names.shortNames[0]: Invalid value: "-": ${LABEL}`,
      `spec.names.categories[0]: Invalid value: "A": ${LABEL}`,
    ],
  ],
  [
    'a list called like its items',
    (crd) => (crd.spec.names.listKind = 'Widget'),
    ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
  ],
  [
    'no schema',
    (crd) => delete crd.spec.versions[0]!.schema,
    ['spec.versions[0].schema.openAPIV3Schema: Required value'],
  ],
  [
    'a warning about nothing',
    (crd) => (crd.spec.versions[0]!.deprecationWarning = 'x'),
    ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
  ],
  [
    'unpruned objects',
    (crd) => (crd.spec.preserveUnknownFields = true),
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    'an unknown conversion',
    (crd) => (crd.spec.conversion = { strategy: 'Magic' as never }),
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
  [
    'a webhook that is not there',
    (crd) => (crd.spec.conversion = { strategy: 'Webhook' }),
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    'a webhook that cannot be called',
    (crd) =>
      (crd.spec.conversion = {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'http://u:p@host/x?y#z' }, conversionReviewVersions: ['v7'] },
      }),
    [
      `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'spec.conversion.webhookClientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "z": fragments are not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "y": query parameters are not permitted in the URL',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'columns that show nothing',
    (crd) => (crd.spec.versions[0]!.additionalPrinterColumns = [{ name: 'A', type: 'x', format: 'y', jsonPath: 'z' }]),
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "y": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "z": must be a simple json path starting with .',
    ],
  ],
  [
    'a scale of nothing',
    (crd) =>
      (crd.spec.versions[0]!.subresources = { scale: { specReplicasPath: '.status.a', statusReplicasPath: '' } }),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.a": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Required value',
    ],
  ],
  [
    'fields that cannot be selected by',
    (crd) => (crd.spec.versions[0]!.selectableFields = [{ jsonPath: '.spec' }, { jsonPath: '.nope' }]),
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[1].jsonPath: Invalid value: ".nope": is an invalid path: does not refer to a valid field',
    ],
  ],
  [
    'a group of Kubernetes itself',
    (crd) => {
      crd.spec.group = 'x.k8s.io'
      crd.metadata.name = 'widgets.x.k8s.io'
    },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    'a stored version that is gone',
    (crd) => (crd.status = { storedVersions: ['v0', 'v1'] }),
    [
      'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
  ],
]

for (const [name, change, errors] of SPEC_CASES) {
  test(`validateCrd: refuses ${name}`, () => assert.deepEqual(errorsOf(change), errors))
}

test('validateCrd: requires exactly one storage version and unique names', () => {
  const errors = errorsOf((crd) => {
    crd.spec.versions.push(structuredClone(crd.spec.versions[0]!))
  })
  assert.equal(errors.length, 2)
  assert.match(errors[0]!, /^spec\.versions: Invalid value: \[\{"Name":"v1",.*: must contain unique version names$/)
  assert.match(errors[1]!, /: must have exactly one version marked as storage version$/)
})

test('validateCrd: reports fields that differ between versions at the path of the version', () => {
  const errors = errorsOf((crd) => {
    const second = structuredClone(crd.spec.versions[0]!)
    second.name = 'v2'
    second.storage = false
    second.schema!.openAPIV3Schema!.properties!.spec = {}
    crd.spec.versions.push(second)
  })
  assert.deepEqual(errors, [
    'spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
  ])
})

const SCHEMA_CASES: [string, JsonSchema, string[]][] = [
  [
    'an unknown type',
    { type: 'x' },
    [
      `${FIELD}.type: Unsupported value: "x": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  [
    'unique items',
    { type: 'array', items: { type: 'string' }, uniqueItems: true },
    [
      `${FIELD}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
  ],
  ['a reference', { $ref: '#/x' }, [`${FIELD}.$ref: Forbidden: $ref is not supported`]],
  [
    'fields and free keys',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
    [`${FIELD}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    'a map list without keys',
    { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
    [`${FIELD}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`],
  ],
  [
    'a key that may be absent',
    {
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    },
    [
      `${FIELD}.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
  ],
  [
    'a set of objects',
    { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
    [
      `${FIELD}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ],
  [
    'a map type for a string',
    { type: 'string', 'x-kubernetes-map-type': 'atomic' },
    [`${FIELD}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`],
  ],
  [
    'a default of the wrong type',
    { type: 'string', default: 1 },
    [`${FIELD}.default: Invalid value: "integer":  in body must be of type string: "integer"`],
  ],
  [
    'a default that would be pruned',
    { type: 'object', default: { a: 1 } },
    [`${FIELD}.default: Invalid value: {"a":1}: must not have unknown fields`],
  ],
]

for (const [name, schema, errors] of SCHEMA_CASES) {
  test(`validateCrd: refuses a schema with ${name}`, () => assert.deepEqual(fieldErrors(schema), errors))
}

test('validateCrd: checks the texts of rules', () => {
  const path = `${FIELD}.x-kubernetes-validations`
  assert.deepEqual(
    ruleErrors(
      'string',
      { rule: ' ' },
      { rule: 'true', message: 'a\nb' },
      { rule: 'true', reason: 'Bad' },
      { rule: 'true', fieldPath: '.x' },
    ),
    [
      `${path}[0].rule: Required value: rule is not specified`,
      `${path}[1].message: Invalid value: "a\\nb": must not contain line breaks`,
      `${path}[2].reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      `${path}[3].fieldPath: Invalid value: ".x": must be a valid path`,
    ],
  )
})

test('validateCrd: compiles rules', () => {
  const path = `${FIELD}.x-kubernetes-validations`
  const shown = (rule: string) =>
    `{"Rule":"${rule}","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}`
  assert.deepEqual(ruleErrors('integer', { rule: 'self > 0' }, { rule: 'self' }, { rule: 'self > foo' }), [
    `${path}[1].rule: Invalid value: ${shown('self')}: cel expression must evaluate to a bool`,
    `${path}[2].rule: Invalid value: ${shown('self \\u003e foo')}: compilation failed: ERROR: <input>:1:8: undeclared reference to 'foo' (in container '')\n | self > foo\n | .......^`,
  ])
  assert.deepEqual(ruleErrors('integer', { rule: 'self > 0', optionalOldSelf: true }), [
    `${path}[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ])
})

test('validateCrd: types oldSelf as optional with optionalOldSelf', () => {
  assert.deepEqual(ruleErrors('string', { rule: 'oldSelf == optional.of(self)', optionalOldSelf: true }), [])
  const [error = ''] = ruleErrors('string', { rule: 'self == oldSelf', optionalOldSelf: true })
  assert.match(error, /no matching overload for '_==_' applied to '\(string, optional_type\(string\)\)'/)
})

test('validateCrd: refuses rules that could exceed the cost limit', () => {
  const [own, blame, total] = ruleErrors('array', { rule: 'self.all(x, self.all(y, x == y))' })
  const advice =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
  assert.equal(
    own,
    `${FIELD}.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
  )
  assert.equal(
    blame,
    `${FIELD}.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
  )
  assert.equal(
    total,
    `spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${advice}`,
  )
})

test('validateCrd: requires defaults to satisfy the rules', () => {
  assert.deepEqual(
    fieldErrors({
      type: 'integer',
      default: 5,
      'x-kubernetes-validations': [{ rule: 'self < 3', message: 'too big' }],
    }),
    [`${FIELD}.default: Invalid value: 5: too big`],
  )
})

function updateErrors(change: (crd: Crd) => void, prepare: (old: Crd) => void = () => undefined): string[] {
  const old = widgets()
  old.status = { ...old.status, conditions: [{ type: 'Established', status: 'True' }] }
  prepare(old)
  const crd = structuredClone(old)
  change(crd)
  return validateCrdUpdate(crd, old).map(formatFieldError)
}

test('validateCrdUpdate: refuses changes of immutable fields', () => {
  assert.deepEqual(
    updateErrors((crd) => {
      crd.spec.scope = 'Cluster'
      crd.spec.names.kind = 'Gadget'
      crd.spec.group = 'example.org'
    }),
    [
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
      'spec.group: Invalid value: "example.org": field is immutable',
    ],
  )
})

test('validateCrdUpdate: is not stricter than when the definition was accepted', () => {
  const loose: JsonSchema = {
    type: 'object',
    properties: { f: { type: 'string', default: 'x' } },
    default: { f: 'a', g: 1 },
  }
  const makeLoose = (crd: Crd) => {
    crd.spec.versions[0]!.schema!.openAPIV3Schema!.properties!.spec = loose
  }
  assert.equal(updateErrors(makeLoose).length, 1)
  assert.deepEqual(
    updateErrors((crd) => (crd.spec.names.shortNames = ['w']), makeLoose),
    [],
  )
})

test('validateCrd: reads each version a few times, however many there are', () => {
  const crd = widgets()
  let reads = 0
  const versions = Array.from({ length: 2000 }, (_, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: false,
    get schema() {
      reads++
      return { openAPIV3Schema: { type: 'object', description: `${index}` } }
    },
  }))
  const errors = validateCrd({ ...crd, spec: { ...crd.spec, versions } })
  assert.ok(errors.length > 0)
  assert.ok(reads < 20 * versions.length, `${reads} reads of ${versions.length} versions`)
})

test('validateCrd: refuses a schema with a null dependency', () => {
  const dependencies = { a: null } as unknown as NonNullable<JsonSchema['dependencies']>
  assert.deepEqual(fieldErrors({ type: 'object', dependencies }), [
    `${FIELD}.dependencies: Forbidden: dependencies is not supported`,
  ])
})
