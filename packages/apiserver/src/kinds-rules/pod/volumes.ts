import type { JsonObject } from '@orrery/kinds'
import {
  addAll,
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
} from '@orrery/kinds/values'
import { between, formatted, ifSet, named, oneOf, required, type StructCheck, strictlyOneOf, struct } from '../check.js'
import { annotationMap, labelMap } from '../labels.js'
import { localPath, noBacksteps, relativePath } from '../paths.js'
import { isNegative } from '../quantities.js'
import { childOf, has, numberOf, structsOf, textOf } from '../read.js'
import { claimSpec } from '../storage/claim.js'
import { checkOneSource, csiDriverName, storageSources } from '../storage/sources.js'
import { checkTokenSeconds } from '../token-seconds.js'
import { fieldRef, resourceFieldRef, VOLUME_FIELDS } from './field-ref.js'

const fileMode = between(0, 0o777, 'must be a number between 0 and 0777 (octal), both inclusive')

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

const keyToPath = struct({
  key: required(),
  path: [required(), localPath],
  'mode?': fileMode,
})

const downwardFile: StructCheck = struct({
  path: [required(), localPath],
  '.': (file: JsonObject, at: string, errors: FieldError[]) => {
    const field = childOf(file, 'fieldRef')
    const resource = childOf(file, 'resourceFieldRef')
    if (field !== undefined) {
      fieldRef(VOLUME_FIELDS)(field, `${at}.fieldRef`, errors)
      if (resource !== undefined) {
        errors.push(fieldInvalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
      }
    } else if (resource !== undefined) resourceFieldRef(true)(resource, `${at}.resourceFieldRef`, errors)
    else errors.push(fieldRequired(at, 'one of fieldRef and resourceFieldRef is required'))
  },
  'mode?': fileMode,
})

/** Errors of files in a downward API volume have the path of the volume, not of their index. */
const downwardItems: StructCheck = (volume, at, errors) => {
  for (const file of structsOf(volume, 'items')) downwardFile(file, at, errors)
}

const mapped = struct({ 'defaultMode?': fileMode, 'items[]': keyToPath })

const claimTemplate = struct({
  'metadata.annotations': annotationMap,
  'metadata.labels': labelMap,
  'metadata.name': ifSet((_value, at, errors) => errors.push(fieldForbidden(at, 'cannot be set'))),
  spec: claimSpec,
})

const emptyDir: StructCheck = (source, at, errors) => {
  if (has(source, 'sizeLimit') && isNegative(source.sizeLimit)) {
    errors.push(fieldForbidden(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'))
  }
}

const hostPath: StructCheck = (source, at, errors) => {
  const path = textOf(source, 'path')
  if (path === '') return void errors.push(fieldRequired(`${at}.path`))
  noBacksteps(path, `${at}.path`, errors)
  if (has(source, 'type')) strictlyOneOf(...HOST_PATH_TYPES)(source.type, `${at}.type`, errors)
}

const projected: StructCheck = (source, at, errors) => {
  if (has(source, 'defaultMode')) fileMode(source.defaultMode, `${at}.defaultMode`, errors)
  const paths = new Set<string>()
  const claim = (path: string, shown: string) => {
    if (path === '') return
    if (paths.has(path)) errors.push(fieldInvalid(at, shown, 'conflicting duplicate paths'))
    paths.add(path)
  }
  for (const [i, projection] of structsOf(source, 'sources').entries()) {
    const path = indexPath(`${at}.sources`, i)
    for (const kind of ['secret', 'configMap']) {
      const mapping = childOf(projection, kind)
      if (mapping === undefined) continue
      required()(mapping.name, `${path}.${kind}.name`, errors)
      for (const [j, item] of structsOf(mapping, 'items').entries()) {
        keyToPath(item, indexPath(`${path}.${kind}.items`, j), errors)
        claim(textOf(item, 'path'), textOf(mapping, 'name'))
      }
    }
    for (const file of structsOf(childOf(projection, 'downwardAPI'), 'items')) {
      downwardFile(file, `${path}.downwardAPI`, errors)
      claim(textOf(file, 'path'), textOf(file, 'path'))
    }
    const token = childOf(projection, 'serviceAccountToken')
    if (token !== undefined) checkToken(token, `${path}.serviceAccountToken`, at, errors)
    if (Object.keys(projection).length > 1) {
      errors.push(fieldForbidden(path, 'may not specify more than 1 volume type per source'))
    }
  }
}

function checkToken(token: JsonObject, at: string, volume: string, errors: FieldError[]): void {
  const expiration = `${at}.expirationSeconds`
  if (!has(token, 'expirationSeconds')) errors.push(fieldRequired(expiration))
  else checkTokenSeconds(numberOf(token, 'expirationSeconds'), expiration, errors)
  if (textOf(token, 'path') === '') errors.push(fieldRequired(`${volume}.path`))
  else localPath(token.path, `${volume}.path`, errors)
}

const csi: StructCheck = (source, at, errors) => {
  csiDriverName(source.driver, `${at}.driver`, errors)
  const secret = childOf(source, 'nodePublishSecretRef')
  if (secret === undefined) return
  if (textOf(secret, 'name') === '') errors.push(fieldRequired(`${at}.nodePublishSecretRef.name`))
  else formatted(isDNS1123Subdomain)(secret.name, `${at}.name`, errors)
}

/** The rules of each volume type, in the order in which they are counted. */
const SOURCES: readonly (readonly [string, StructCheck])[] = [
  ['emptyDir', emptyDir],
  ['hostPath', hostPath],
  ['gitRepo', struct({ repository: required(), directory: relativePath })],
  ['secret', struct({ secretName: required(), '.': mapped })],
  ['persistentVolumeClaim', struct({ claimName: required() })],
  ['downwardAPI', struct({ 'defaultMode?': fileMode, '.': downwardItems })],
  ['configMap', struct({ name: required(), '.': mapped })],
  ['projected', projected],
  ['csi', csi],
  ['ephemeral', struct({ volumeClaimTemplate: required(), 'volumeClaimTemplate?': claimTemplate })],
  ['image', struct({ reference: required(), pullPolicy: oneOf('Always', 'IfNotPresent', 'Never') })],
  ...storageSources,
]

const CLAIMS_BLOCK = ['persistentVolumeClaim', 'ephemeral']

/** The valid volumes of a pod by name, and whether they can be block devices. */
export type PodVolumes = ReadonlyMap<string, { readonly block: boolean; readonly source: JsonObject }>

/** Validates the volumes of a pod and returns those that mounts can refer to. */
export function checkVolumes(spec: JsonObject, podName: string, at: string, errors: FieldError[]): PodVolumes {
  const volumes = new Map<string, { block: boolean; source: JsonObject }>()
  const list = structsOf(spec, 'volumes')
  const created = new Set(
    podName === '' ? [] : list.filter((v) => has(v, 'ephemeral')).map((v) => `${podName}-${textOf(v, 'name')}`),
  )
  for (const [i, volume] of list.entries()) {
    const path = indexPath(at, i)
    const name = textOf(volume, 'name')
    const found: FieldError[] = []
    checkOneSource(volume, SOURCES, path, found)
    named(isDNS1123Label)(name, `${path}.name`, found)
    if (volumes.has(name)) found.push(fieldDuplicate(`${path}.name`, name))
    if (found.length === 0) volumes.set(name, { block: CLAIMS_BLOCK.some((type) => has(volume, type)), source: volume })
    addAll(errors, found)
    const claimName = textOf(childOf(volume, 'persistentVolumeClaim'), 'claimName')
    if (created.has(claimName)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.push(fieldInvalid(`${path}.persistentVolumeClaim.claimName`, claimName, detail))
    }
  }
  return volumes
}
