import type { JsonObject } from '@orrery/kinds'
import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  indexPath,
  isDNS1123Subdomain,
  isQualifiedName,
} from '@orrery/kinds/values'
import { changes, frozen, immutable, type ObjectChange } from '../change.js'
import {
  atMostBytes,
  type Check,
  formatted,
  nonNegative,
  reportFormat,
  required,
  type StructCheck,
  strictlyOneOf,
  struct,
} from '../check.js'
import { CLUSTER_WIDE, type GroupRules, NAMESPACED } from '../kind.js'
import { labelSelector } from '../labels.js'
import { nonNegativeQuantity } from '../quantities.js'
import { childOf, entriesOf, has, numberOf, repeats, sameValue, structsOf, textOf, textsOf } from '../read.js'
import { checkTokenSeconds } from '../token-seconds.js'
import { csiDriverName } from './sources.js'

const MAX_PARAMETERS = 512
const MAX_PARAMETER_BYTES = 256 * 1024
const MAX_NODE_ID = 256

const provisioner: Check = (value, at, errors) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') errors.push(fieldRequired(at))
  else reportFormat(isQualifiedName, name.toLowerCase(), at, errors)
}

function parameters(field: string, mayBeEmpty: boolean): StructCheck {
  return (object, _at, errors) => {
    const entries = entriesOf(object, field)
    if (entries.length > MAX_PARAMETERS) return void errors.push(fieldTooLong(field, MAX_PARAMETERS))
    let size = 0
    for (const [key, value] of entries) {
      if (key === '') errors.push(fieldInvalid(field, key, 'field can not be empty.'))
      size += Buffer.byteLength(key) + Buffer.byteLength(value as string)
    }
    if (size > MAX_PARAMETER_BYTES) errors.push(fieldTooLong(field, MAX_PARAMETER_BYTES))
    if (!mayBeEmpty && entries.length === 0) {
      errors.push(fieldRequired(field, 'must contain at least one key/value pair'))
    }
  }
}

const topologies: StructCheck = (object, _at, errors) => {
  for (const [i, term] of structsOf(object, 'allowedTopologies').entries()) {
    const keys = new Set<string>()
    for (const [j, requirement] of structsOf(term, 'matchLabelExpressions').entries()) {
      const path = indexPath(`${indexPath('allowedTopologies', i)}.matchLabelExpressions`, j)
      const values = textsOf(requirement, 'values')
      if (values.length === 0) errors.push(fieldRequired(`${path}.values`))
      const repeated = repeats(values)
      for (const [k, value] of values.entries()) {
        if (repeated.has(k)) errors.push(fieldDuplicate(indexPath(`${path}.values`, k), value))
      }
      const key = textOf(requirement, 'key')
      reportFormat(isQualifiedName, key, `${path}.key`, errors)
      if (keys.has(key)) errors.push(fieldDuplicate(`${path}.key`, key))
      keys.add(key)
    }
  }
}

const tokenRequests: StructCheck = (spec, at, errors) => {
  const audiences = new Set<string>()
  for (const [i, request] of structsOf(spec, 'tokenRequests').entries()) {
    const path = indexPath(`${at}.tokenRequests`, i)
    const audience = textOf(request, 'audience')
    if (audiences.has(audience)) errors.push(fieldDuplicate(`${path}.audience`, audience))
    else if (has(request, 'expirationSeconds')) {
      checkTokenSeconds(numberOf(request, 'expirationSeconds'), `${path}.expirationSeconds`, errors)
    }
    audiences.add(audience)
  }
}

const driverSpec = struct({
  'fsGroupPolicy?': strictlyOneOf('File', 'None', 'ReadWriteOnceWithFSType'),
  '. tokens': tokenRequests,
  '. modes': (spec, at, errors) => {
    for (const mode of textsOf(spec, 'volumeLifecycleModes')) {
      strictlyOneOf('Persistent', 'Ephemeral')(mode, `${at}.volumeLifecycleModes`, errors)
    }
  },
})

const nodeDrivers: StructCheck = (object, _at, errors) => {
  const names = new Set<string>()
  for (const [i, driver] of structsOf(childOf(object, 'spec'), 'drivers').entries()) {
    const path = indexPath('spec.drivers', i)
    const name = textOf(driver, 'name')
    csiDriverName(name, `${path}.name`, errors)
    const id = textOf(driver, 'nodeID')
    if (id === '') errors.push(fieldRequired(`${path}.nodeID`))
    if (id.length > MAX_NODE_ID) {
      errors.push(fieldInvalid(`${path}.nodeID`, id, `must be ${MAX_NODE_ID} characters or less`))
    }
    nonNegative(childOf(driver, 'allocatable')?.count, `${path}.allocatable.count`, errors)
    if (names.has(name)) errors.push(fieldDuplicate(`${path}.name`, name))
    names.add(name)
  }
}

const driversKept: ObjectChange = (object, old, errors) => {
  const drivers = new Map(structsOf(childOf(object, 'spec'), 'drivers').map((driver) => [driver.name, driver]))
  for (const was of structsOf(childOf(old, 'spec'), 'drivers')) {
    const now = drivers.get(was.name)
    const fixed = (driver: JsonObject) => ({ ...driver, allocatable: null })
    if (now === undefined || sameValue(fixed(now), fixed(was))) continue
    errors.push(fieldInvalid('spec.drivers', now, 'field is immutable'))
  }
}

const attachmentSource: StructCheck = (source, at, errors) => {
  const both = has(source, 'inlineVolumeSpec') === has(source, 'persistentVolumeName')
  if (both) {
    errors.push(fieldRequired(at, 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'))
  } else if (has(source, 'persistentVolumeName')) {
    formatted(isDNS1123Subdomain)(source.persistentVolumeName, `${at}.persistentVolumeName`, errors)
  }
}

const modesKept = changes({ 'spec.volumeLifecycleModes': immutable() })

/** Upstream reports one of these fields under a different name. */
const driverKept: ObjectChange = (driver, old, errors) => {
  const attachRequired = (of: JsonObject) => childOf(of, 'spec')?.attachRequired
  immutable()(attachRequired(driver), attachRequired(old), 'spec.attachedRequired', errors)
  modesKept(driver, old, errors)
}

const volumeError = struct({ message: atMostBytes(1024) })

export const storageGroup: GroupRules = {
  CSIDriver: {
    ...CLUSTER_WIDE,
    valid: struct({ spec: driverSpec }),
    onUpdate: { '': driverKept },
  },
  CSINode: { ...CLUSTER_WIDE, valid: nodeDrivers, onUpdate: { '': driversKept } },
  CSIStorageCapacity: {
    ...NAMESPACED,
    valid: struct({
      'nodeTopology?': labelSelector,
      storageClassName: formatted(isDNS1123Subdomain),
      'capacity?': nonNegativeQuantity,
    }),
    revalidated: false,
    onUpdate: { '': changes({ nodeTopology: immutable(), storageClassName: immutable() }) },
  },
  StorageClass: {
    ...CLUSTER_WIDE,
    valid: struct({
      provisioner,
      '. parameters': parameters('parameters', true),
      'reclaimPolicy?': strictlyOneOf('Delete', 'Retain'),
      volumeBindingMode: [required(), strictlyOneOf('Immediate', 'WaitForFirstConsumer')],
      '. topologies': topologies,
    }),
    revalidated: false,
    onUpdate: {
      '': changes({
        parameters: immutable(),
        provisioner: immutable(),
        reclaimPolicy: immutable(),
        volumeBindingMode: immutable(),
      }),
    },
  },
  VolumeAttachment: {
    ...CLUSTER_WIDE,
    valid: struct({
      'spec.attacher': csiDriverName,
      'spec.source': attachmentSource,
      'spec.nodeName': formatted(isDNS1123Subdomain),
      'status.attachError?': volumeError,
      'status.detachError?': volumeError,
    }),
    onUpdate: { '': changes({ spec: immutable() }) },
  },
  VolumeAttributesClass: {
    ...CLUSTER_WIDE,
    valid: struct({ driverName: provisioner, '. parameters': parameters('parameters', false) }),
    onUpdate: {
      '': changes({
        driverName: frozen('updates to driverName are forbidden.'),
        parameters: frozen('updates to parameters are forbidden.'),
      }),
    },
  },
}
