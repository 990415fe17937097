import type { KubeObject } from '@orrery/kinds'
import type { StructSchema } from '@orrery/kinds/tables'
import { cloneJson, type FieldError, formatGroupVersion } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { defaultCrd, prepareCrdCreate, prepareCrdDelete, prepareCrdUpdate } from '../crd/prepare.js'
import type { Crd } from '../crd/types.js'
import { validateCrd, validateCrdStatus, validateCrdUpdate } from '../crd/validate.js'
import { crdWarnings } from '../crd/warnings.js'
import { builtinResources, convert, storageApiVersion } from '../kinds/index.js'
import type { Resource } from '../kinds/resource.js'
import {
  applyDefaults,
  isPrepared,
  prepareObject,
  selectableFields,
  strategyOf,
  validateCreate,
  validateUpdate,
  warningsFor,
} from '../kinds-rules/index.js'
import { columnsFor } from '../printers/builtin.js'
import { conform, refuseManyItems } from '../schema/conform.js'
import type { KindLogic } from './kind-logic.js'
import { typedObject } from './typed.js'

/** Returns the logic of every built-in resource. */
export function builtinLogics(clock: Clock): KindLogic[] {
  return builtinResources().map((resource) =>
    builtinLogic({ ...resource, columns: columnsFor(resource.group, resource.plural) }, clock),
  )
}

function builtinLogic(resource: Resource, clock: Clock): KindLogic {
  const { group, kind, plural, schema } = resource
  const apiVersion = formatGroupVersion(group, resource.version)
  const storageVersion = storageApiVersion(resource)
  const isStored = apiVersion === storageVersion
  const traits = strategyOf(group, plural)
  const selectable = selectableFields(group, kind)
  const prepares = isPrepared(group, kind)
  const isOldVersion = resource.version !== resource.storage.version
  // Validation is written for the storage version.
  const ruled = (object: KubeObject) => (isOldVersion ? convert(cloneJson(object), storageVersion) : object)
  const special = isOldVersion ? oldVersionRules(schema) : specialRules(group, kind, clock)
  return {
    resource,
    traits,
    conform: (value) => typedObject(value, resource, schema),
    refuseManyItems: (value) => refuseManyItems(value, schema),
    applyDefaults(object) {
      if (!isOldVersion) applyDefaults(group, kind, object)
      special.applyDefaults(object)
    },
    prepare(object, old, subresource) {
      if (prepares) prepareObject(group, kind, object, old, subresource, clock.now())
      special.prepare(object, old, subresource)
    },
    validateCreate: (object) => [...validateCreate(group, kind, ruled(object)), ...special.validateCreate(object)],
    validateUpdate: (object, old, subresource) => [
      ...validateUpdate(group, kind, ruled(object), ruled(old), subresource),
      ...special.validateUpdate(object, old, subresource),
    ],
    warnings: (object, old) => [
      ...warningsFor(group, kind, ruled(object), old && ruled(old)),
      ...special.warnings(object, old),
    ],
    deprecationWarning: DEPRECATIONS[`${apiVersion} ${kind}`],
    selectable: selectable.names,
    selectableFields: (object) => selectable.valuesOf(object),
    holdsDeletion: special.holdsDeletion,
    fromStorage: (object) => (isStored ? object : convert(cloneJson(object), apiVersion)),
    toStorage: (object) => (isStored ? object : convert(cloneJson(object), storageVersion)),
    convertsRemotely: false,
    typedItems: false,
    servedBytes: (entry) =>
      isStored ? entry.bytes : Buffer.from(JSON.stringify(convert(cloneJson(entry.object()), apiVersion))),
  }
}

const DEPRECATIONS: Readonly<Record<string, string>> = {
  'v1 Endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
}

/** The rules of a kind that tables cannot express. */
interface SpecialRules {
  warnings(object: KubeObject, old: KubeObject | undefined): string[]
  applyDefaults(object: KubeObject): void
  prepare(object: KubeObject, old: KubeObject | undefined, subresource: string): void
  validateCreate(object: KubeObject): FieldError[]
  validateUpdate(object: KubeObject, old: KubeObject, subresource: string): FieldError[]
  holdsDeletion(object: KubeObject): boolean
}

const NOTHING_SPECIAL: SpecialRules = {
  warnings: () => [],
  applyDefaults: () => undefined,
  prepare: () => undefined,
  validateCreate: () => [],
  validateUpdate: () => [],
  holdsDeletion: () => false,
}

function specialRules(group: string, kind: string, clock: Clock): SpecialRules {
  if (group === '' && kind === 'Namespace') return namespaceRules
  if (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition') return definitionRules(clock)
  return NOTHING_SPECIAL
}

/** The rules of an older version, which only the autoscaler has. */
function oldVersionRules(schema: StructSchema): SpecialRules {
  return {
    ...NOTHING_SPECIAL,
    applyDefaults(object) {
      const spec = object.spec as { minReplicas?: number } | undefined
      if (spec !== undefined) spec.minReplicas ??= 1
    },
    prepare: (object) => void conform(object, schema),
  }
}

/** A namespace is deleted after its content: `spec.finalizers` hold it until then. */
const namespaceRules: SpecialRules = {
  ...NOTHING_SPECIAL,
  prepare(object, _old, subresource) {
    if (subresource === 'delete') object.status = { ...(object.status as object | undefined), phase: 'Terminating' }
  },
  holdsDeletion: (object) => ((object.spec as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0,
}

function definitionRules(clock: Clock): SpecialRules {
  return {
    ...NOTHING_SPECIAL,
    applyDefaults: (object) => defaultCrd(object as Crd),
    warnings: (object, old) => crdWarnings(object as Crd, old as Crd | undefined),
    prepare(object, old, subresource) {
      if (old === undefined) prepareCrdCreate(object as Crd)
      else if (subresource === 'delete') {
        object.status = { ...(object.status as object | undefined) }
        prepareCrdDelete(object as Crd, clock.now())
      } else if (subresource === '') prepareCrdUpdate(object as Crd, old as Crd)
    },
    // The first delete only marks it, since its objects are deleted first.
    holdsDeletion: (object) => object.metadata.deletionTimestamp === undefined,
    validateCreate: (object) => validateCrd(object as Crd),
    validateUpdate: (object, old, subresource) =>
      subresource === 'status' ? validateCrdStatus(object as Crd) : validateCrdUpdate(object as Crd, old as Crd),
  }
}
