import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  isDNS1123Subdomain,
} from '@orrery/kinds/values'
import { between, type Check, required, type StructCheck, struct } from '../check.js'
import { listOf, textOf } from '../read.js'

const partition = between(0, 255, 'must be between 1 and 255, inclusive')
const CSI_DRIVER_NAME_MAX = 63

/** The name of a CSI driver, in any case. */
export const csiDriverName: Check = (value, at, errors) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') return void errors.push(fieldRequired(at))
  if (Buffer.byteLength(name) > CSI_DRIVER_NAME_MAX) errors.push(fieldTooLong(at, CSI_DRIVER_NAME_MAX))
  for (const message of isDNS1123Subdomain(name.toLowerCase())) errors.push(fieldInvalid(at, name, message))
}

const absolutePath: Check = (value, at, errors) => {
  const path = typeof value === 'string' ? value : ''
  if (!path.startsWith('/')) errors.push(fieldInvalid(at, path, 'must be an absolute path'))
}

const fibreChannel: StructCheck = (source, at, errors) => {
  const worldWideNames = listOf(source, 'targetWWNs').length
  const ids = listOf(source, 'wwids').length
  if (worldWideNames === 0 && ids === 0) {
    errors.push(fieldRequired(`${at}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'))
  } else if (worldWideNames > 0 && ids > 0) {
    const detail = 'targetWWNs and wwids can not be specified simultaneously'
    errors.push(fieldInvalid(`${at}.targetWWNs`, source.targetWWNs, detail))
  } else if (worldWideNames > 0) {
    if (source.lun === undefined) errors.push(fieldRequired(`${at}.lun`, 'lun is required if targetWWNs is specified'))
    else between(0, 255)(source.lun, `${at}.lun`, errors)
  }
}

const flocker: StructCheck = (source, at, errors) => {
  const name = textOf(source, 'datasetName')
  const uuid = textOf(source, 'datasetUUID')
  if (name === '' && uuid === '') errors.push(fieldRequired(at, 'one of datasetName and datasetUUID is required'))
  if (name !== '' && uuid !== '') {
    errors.push(fieldInvalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  }
  if (name.includes('/')) errors.push(fieldInvalid(`${at}.datasetName`, name, "must not contain '/'"))
}

/** The storage sources that pods and persistent volumes share, with their rules. */
export const storageSources: readonly (readonly [string, StructCheck])[] = [
  ['gcePersistentDisk', struct({ pdName: required(), partition })],
  ['awsElasticBlockStore', struct({ volumeID: required(), partition })],
  ['nfs', struct({ server: required(), path: [required(), absolutePath] })],
  ['iscsi', struct({ targetPortal: required(), iqn: required(), lun: between(0, 255) })],
  ['glusterfs', struct({ endpoints: required(), path: required() })],
  ['flocker', flocker],
  ['rbd', struct({ monitors: required(), image: required() })],
  ['cinder', struct({ volumeID: required(), 'secretRef?.name': required() })],
  ['cephfs', struct({ monitors: required() })],
  [
    'quobyte',
    struct({
      registry: required('must be a host:port pair or multiple pairs separated by commas'),
      volume: required(),
    }),
  ],
  ['fc', fibreChannel],
  ['flexVolume', struct({ driver: required() })],
  ['azureFile', struct({ secretName: required(), shareName: required() })],
  ['vsphereVolume', struct({ volumePath: required() })],
  ['photonPersistentDisk', struct({ pdID: required() })],
  ['portworxVolume', struct({ volumeID: required() })],
  ['azureDisk', struct({ diskName: required(), diskURI: required() })],
  ['scaleIO', struct({ gateway: required(), system: required(), volumeName: required() })],
  ['storageos', struct({ volumeName: required(), 'secretRef?.name': required() })],
]

/** Reports every source after the first, and a missing one. */
export function checkOneSource(
  spec: JsonObject,
  sources: readonly (readonly [string, StructCheck])[],
  at: string,
  errors: FieldError[],
): void {
  let types = 0
  for (const [type, check] of sources) {
    const source = spec[type]
    if (source === undefined) continue
    types++
    if (types > 1) errors.push(fieldForbidden(`${at}.${type}`, 'may not specify more than 1 volume type'))
    else check(source as JsonObject, `${at}.${type}`, errors)
  }
  if (types === 0) errors.push(fieldRequired(at, 'must specify a volume type'))
}
