import type { JsonObject, KubeObject } from '@orrery/kinds'
import fc from 'fast-check'
import type { AnyKind } from '../../../schema/index.js'
import { arbitraryOf, type Favourites, someName } from '../../../schema/testing/arbitrary.fixture.js'

const someTexts = fc.dictionary(someName, fc.string(), { minKeys: 1, noNullPrototype: true })

const someMetadata = fc.record(
  { name: someName, labels: someTexts, annotations: someTexts },
  { requiredKeys: ['name'], noNullPrototype: true },
)

/** Arbitrary add-ons that the schema of a version allows. */
export function addOnsOf(
  { group, version, kind, schema }: AnyKind,
  favourites: Favourites = {},
): fc.Arbitrary<KubeObject> {
  const { spec = {}, status = {} } = schema.properties ?? {}
  return fc
    .record(
      { metadata: someMetadata, spec: arbitraryOf(spec, favourites), status: arbitraryOf(status, favourites) },
      { requiredKeys: ['metadata', 'spec'], noNullPrototype: true },
    )
    .map((object) => ({ apiVersion: `${group}/${version}`, kind, ...object }))
}

const strangeValue = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))

function strangeFields(...names: string[]): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(names.map((name) => [name, strangeValue]))
  return fc.oneof(fc.jsonValue(), fc.record(fields, { requiredKeys: [], noNullPrototype: true }))
}

const strangeSpec = strangeFields('supportedConfigs', 'defaultConfigs', 'installNamespace', 'configs')
const strangeStatus = strangeFields('registrations', 'configReferences', 'kubeClientDriver', 'defaultConfigReferences')

/** Arbitrary objects whose spec and status do not follow a schema. */
export function strangersOf({ group, version, kind }: AnyKind): fc.Arbitrary<KubeObject> {
  return fc
    .record({ metadata: someMetadata, spec: strangeSpec, status: strangeStatus }, { noNullPrototype: true })
    .map((object) => ({ apiVersion: `${group}/${version}`, kind, ...object }))
}

/** The object, deeply frozen. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value as JsonObject)) frozen(part)
    Object.freeze(value)
  }
  return value
}
