import type { JsonObject } from '@orrery/kinds'
import { fieldForbidden, fieldNotSupported, fieldRequired, isDNS1123Subdomain } from '@orrery/kinds/values'
import { changes, immutable, type ObjectChange } from '../change.js'
import { named, optionally, required, type StructCheck, strictlyOneOf, struct } from '../check.js'
import { CLUSTER_WIDE, type KindRules, NAMESPACED } from '../kind.js'
import { nodeSelector } from '../node-selector.js'
import { noBacksteps } from '../paths.js'
import { basicResource, compare, positiveQuantity } from '../quantities.js'
import { childOf, has, sameValue, textOf } from '../read.js'
import { accessModes, claimSpec, volumeMode } from './claim.js'
import { checkOneSource, csiDriverName, storageSources } from './sources.js'

const capacity: StructCheck = (spec, at, errors) => {
  const amounts = childOf(spec, 'capacity') ?? {}
  const names = Object.keys(amounts)
  if (names.length === 0) errors.push(fieldRequired(`${at}.capacity`))
  if (names.length !== 1 || names[0] !== 'storage')
    errors.push(fieldNotSupported(`${at}.capacity`, spec.capacity ?? null, ['storage']))
}

const secretReference = struct({ name: required(), namespace: required() })

const csi: StructCheck = struct({
  driver: csiDriverName,
  volumeHandle: required(),
  'controllerPublishSecretRef?': secretReference,
  'controllerExpandSecretRef?': secretReference,
  'nodePublishSecretRef?': secretReference,
  'nodeExpandSecretRef?': secretReference,
})

const hostPath: StructCheck = (source, at, errors) => {
  required()(source.path, `${at}.path`, errors)
  noBacksteps(textOf(source, 'path'), `${at}.path`, errors)
}

const SOURCES: readonly (readonly [string, StructCheck])[] = [
  ['hostPath', hostPath],
  ...storageSources,
  ['local', hostPath],
  ['csi', csi],
]

const sources: StructCheck = (spec, at, errors) => {
  checkOneSource(spec, SOURCES, at, errors)
  if (has(spec, 'local') && !has(spec, 'nodeAffinity')) {
    errors.push(fieldRequired(`${at}.nodeAffinity`, 'Local volume requires node affinity'))
  }
  const path = textOf(childOf(spec, 'hostPath'), 'path')
  if (/^\/[/.]*$/.test(path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const detail = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(fieldForbidden(`${at}.persistentVolumeReclaimPolicy`, detail))
  }
}

const volumeSpec = struct({
  accessModes: required(),
  '. modes and capacity': [accessModes, capacity],
  'capacity{}': [basicResource, positiveQuantity],
  'persistentVolumeReclaimPolicy?': strictlyOneOf('Delete', 'Recycle', 'Retain'),
  'nodeAffinity?': (affinity, at, errors) => {
    const demand = childOf(affinity, 'required')
    if (demand === undefined) errors.push(fieldRequired(`${at}.required`, 'must specify required node constraints'))
    else nodeSelector(demand, `${at}.required`, errors)
  },
  '. source': sources,
  storageClassName: optionally(isDNS1123Subdomain),
  'volumeMode?': volumeMode,
  'volumeAttributesClassName?': named(isDNS1123Subdomain, 'an empty string is disallowed'),
})

function sourceOf(volume: JsonObject): JsonObject {
  const spec = childOf(volume, 'spec') ?? {}
  return Object.fromEntries(SOURCES.flatMap(([type]) => (spec[type] === undefined ? [] : [[type, spec[type]]])))
}

const sourceKept: ObjectChange = (volume, old, errors) => {
  const now = sourceOf(volume)
  const was = sourceOf(old)
  const driver = childOf(now, 'csi')
  const oldDriver = childOf(was, 'csi')
  // The secret for volume expansion may be added later.
  const added = driver !== undefined && oldDriver !== undefined && !has(oldDriver, 'controllerExpandSecretRef')
  const compared = added ? { ...now, csi: { ...driver, controllerExpandSecretRef: null } } : now
  if (sameValue(compared, was)) return
  const detail = `spec.persistentvolumesource is immutable after creation\n- ${JSON.stringify(was)}\n+ ${JSON.stringify(now)}`
  errors.push(fieldForbidden('spec.persistentvolumesource', detail))
}

const modeKept: ObjectChange = (object, old, errors) =>
  immutable()(childOf(object, 'spec')?.volumeMode, childOf(old, 'spec')?.volumeMode, 'volumeMode', errors)

export const persistentVolumeRules: KindRules = {
  ...CLUSTER_WIDE,
  valid: struct({ spec: volumeSpec }),
  onUpdate: {
    '': (volume, old, errors) => {
      sourceKept(volume, old, errors)
      modeKept(volume, old, errors)
    },
    status: changes({}),
  },
}

const claimKept: ObjectChange = (claim, old, errors) => {
  const spec = childOf(claim, 'spec') ?? {}
  const was = childOf(old, 'spec') ?? {}
  const storage = (of: JsonObject) => childOf(childOf(of, 'resources'), 'requests')?.storage
  const compared: JsonObject = { ...spec }
  if (textOf(was, 'volumeName') === '') compared.volumeName = ''
  if (!has(was, 'storageClassName')) compared.storageClassName = ''
  if (childOf(claim, 'status')?.phase === 'Bound') {
    const resources = childOf(spec, 'resources') ?? {}
    compared.resources = {
      ...resources,
      requests: { ...childOf(resources, 'requests'), storage: storage(was) ?? null },
    }
    compared.volumeAttributesClassName = was.volumeAttributesClassName ?? null
  }
  if (!sameValue(compared, was)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    errors.push(fieldForbidden('spec', `${detail}\n- ${JSON.stringify(was)}\n+ ${JSON.stringify(compared)}`))
  }
  if (compare(storage(spec), storage(was)) < 0) {
    const capacity = childOf(childOf(old, 'status'), 'capacity')?.storage
    if (compare(storage(spec), capacity) <= 0) {
      const path = 'spec.resources.requests.storage'
      errors.push(fieldForbidden(path, 'field can not be less than status.capacity'))
    }
  }
  modeKept(claim, old, errors)
}

const claimStatus = struct({ 'status.capacity{}': basicResource })

export const persistentVolumeClaimRules: KindRules = {
  ...NAMESPACED,
  valid: struct({ spec: claimSpec }),
  onUpdate: { '': claimKept, status: (claim, _old, errors) => claimStatus(claim, '', errors) },
}
