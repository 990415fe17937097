import type { JsonObject, KubeObject } from '@orrery/kinds'
import { cloneJson, formatGroupVersion } from '@orrery/kinds/values'
import type { Versions } from '../apply/versions.js'
import type { CompiledCrdVersion } from '../crd/compile.js'
import { type Strategy, validateObjectMeta, validateObjectMetaUpdate } from '../kinds-rules/index.js'
import { ConformError } from '../schema/conform.js'
import type { Entry } from '../store/types.js'
import { CannotBeHandled } from './decode.js'
import type { KindLogic } from './kind-logic.js'
import { MAX_OBJECT_BYTES } from './object-meta.js'

/** Converts objects of a CRD to another version. */
export type Convert = (object: KubeObject, toApiVersion: string) => KubeObject | Promise<KubeObject>

/** The conversion between versions of a CRD. */
export interface Conversion {
  readonly convert: Convert
  /** Whether a webhook converts. */
  readonly remote: boolean
  /** For managers that wrote through other versions; undefined if all versions have the same fields. */
  readonly versions?: Versions
}

const NO_RESET: readonly (readonly string[])[] = []
const RESET_STATUS: readonly (readonly string[])[] = [['status']]

/**
 * Returns the logic of one version of a custom resource. Objects written after `freshSince` match the current schema;
 * older ones are pruned and defaulted again on read. The defaults are those of the stored version, by `storedDefaults`,
 * since a conversion may depend on them.
 */
export function customLogic(
  compiled: CompiledCrdVersion,
  { convert, remote, versions }: Conversion,
  storedDefaults: ReadonlyMap<string, (object: JsonObject) => void>,
  freshSince: number,
): KindLogic {
  const { resource, hasStatus } = compiled
  const apiVersion = formatGroupVersion(resource.group, resource.version)
  const storageVersion = formatGroupVersion(resource.group, resource.storage.version)
  const metaRules = { namespaced: resource.namespaced, nameRule: 'subdomain', path: 'metadata' } as const
  const rewritten = new WeakMap<Entry, Buffer>()
  // A new object is stored without its status: reading adds the default.
  const isStoredWhole = !(hasStatus && compiled.defaultsStatus)
  // With one version, all writes used this logic or an earlier one of the same version.
  const isFresh = (version: string, revision: number) =>
    isStoredWhole && version === apiVersion && compiled.crd.spec.versions.length === 1 && revision > freshSince
  const pruned = (object: KubeObject): KubeObject => {
    compiled.prune(object as unknown as JsonObject)
    return object
  }
  const served = (object: KubeObject): KubeObject | Promise<KubeObject> => {
    const copy = cloneJson(object)
    if (copy.apiVersion === apiVersion) {
      compiled.applyDefaults(pruned(copy) as unknown as JsonObject)
      return copy
    }
    storedDefaults.get(copy.apiVersion)?.(copy as unknown as JsonObject)
    const converted = convert(copy, apiVersion)
    return converted instanceof Promise ? converted.then(pruned) : pruned(converted)
  }
  return {
    resource,
    traits: customTraits(hasStatus),
    refuseManyItems: (value) => compiled.refuseManyItems(value),
    conform(value, nulls) {
      compiled.refuseManyItems(value)
      value.metadata ??= {}
      try {
        return { unknown: compiled.prune(value, nulls), object: value as unknown as KubeObject }
      } catch (error) {
        if (error instanceof ConformError) throw new CannotBeHandled(resource, error.message)
        throw error
      }
    },
    applyDefaults: (object) => compiled.applyDefaults(object as unknown as JsonObject, MAX_OBJECT_BYTES),
    prepare: () => undefined,
    validateCreate: (object) => compiled.validate(object, undefined, validateObjectMeta(object.metadata, metaRules)),
    validateUpdate(object, old, subresource) {
      const found = validateObjectMetaUpdate(object.metadata, old.metadata)
      return subresource === 'status'
        ? compiled.validateStatus(object, old, found)
        : compiled.validate(object, old, found)
    },
    warnings: (object, old) => finalizerWarnings(object, old),
    deprecationWarning: compiled.deprecationWarning,
    selectable: compiled.selectable.names,
    selectableFields: (object) => compiled.selectable.valuesOf(object),
    holdsDeletion: () => false,
    fromStorage: (object) =>
      isFresh(object.apiVersion, Number(object.metadata.resourceVersion)) ? object : served(object),
    toStorage: (object) => (apiVersion === storageVersion ? object : convert(cloneJson(object), storageVersion)),
    // Also at the storage version: objects may have been stored in another one.
    convertsRemotely: remote && compiled.crd.spec.versions.length > 1,
    typedItems: true,
    versions,
    servedBytes(entry) {
      if (isFresh(storageVersion, entry.revision)) return entry.bytes
      let bytes = rewritten.get(entry)
      if (bytes === undefined) {
        const stored = entry.object()
        // The caller converts these asynchronously.
        if (remote && stored.apiVersion !== apiVersion) return undefined
        bytes = Buffer.from(JSON.stringify(served(stored)))
        rewritten.set(entry, bytes)
      }
      return bytes
    },
  }
}

function customTraits(hasStatus: boolean): Strategy {
  return {
    hasStatus,
    keepsStatusOnCreate: false,
    generation: true,
    generationCounts: 'spec',
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    statusKeeps: [],
    gracefulDeletion: false,
    returnsDeletedObject: false,
    orphansByDefault: false,
    resetFields(subresource) {
      if (!hasStatus) return NO_RESET
      return subresource === 'status' ? RESET_ALL_BUT_STATUS : RESET_STATUS
    },
  }
}

/** A status write owns nothing else. */
const RESET_ALL_BUT_STATUS: readonly (readonly string[])[] = [
  ['spec'],
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
  ['metadata', 'finalizers'],
  ['metadata', 'ownerReferences'],
]

/** Finalizers without a domain may conflict. Existing ones are not reported again. */
function finalizerWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set([...STANDARD_FINALIZERS, ...(old?.metadata.finalizers ?? [])])
  return (metadata.finalizers ?? [])
    .filter((name) => !name.includes('/') && !known.has(name))
    .map((name) => {
      const advice = `prefer a domain-qualified finalizer name${name.includes('.') ? ' including a path (/)' : ''}`
      return `metadata.finalizers: ${JSON.stringify(name)}: ${advice} to avoid accidental conflicts with other finalizer writers`
    })
}

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes']
