import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  indexPath,
} from '@orrery/kinds/values'
import { relativePath } from '../paths.js'
import { childOf, flagOf, has, structsOf, textOf } from '../read.js'
import type { PodVolumes } from './volumes.js'

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible']

/** The volume mounts and volume devices of a container. */
export function checkMounts(container: JsonObject, volumes: PodVolumes, at: string, errors: FieldError[]): void {
  const mounts = structsOf(container, 'volumeMounts')
  const devices = structsOf(container, 'volumeDevices')
  const mounted = namesAndPaths(mounts, 'mountPath')
  const attached = namesAndPaths(devices, 'devicePath')
  const seen = new Set<string>()
  for (const [i, mount] of mounts.entries()) {
    checkMount(mount, container, volumes, indexPath(`${at}.volumeMounts`, i), `${at}.volumeMounts`, errors)
    checkDistinct(mount, 'mountPath', seen, attached, 'volumeDevices', indexPath(`${at}.volumeMounts`, i), errors)
  }
  checkDevices(devices, mounted, volumes, `${at}.volumeDevices`, errors)
}

interface NamesAndPaths {
  readonly names: ReadonlySet<string>
  readonly paths: ReadonlySet<string>
}

/** For items with the same name the last path counts. */
function namesAndPaths(items: readonly JsonObject[], pathName: string): NamesAndPaths {
  const pathOf = new Map(items.map((item) => [textOf(item, 'name'), textOf(item, pathName)]))
  return { names: new Set(pathOf.keys()), paths: new Set(pathOf.values()) }
}

function checkMount(
  mount: JsonObject,
  container: JsonObject,
  volumes: PodVolumes,
  at: string,
  list: string,
  errors: FieldError[],
): void {
  const name = textOf(mount, 'name')
  if (name === '') errors.push(fieldRequired(`${at}.name`))
  if (!volumes.has(name)) errors.push(fieldNotFound(`${at}.name`, name))
  if (textOf(mount, 'mountPath') === '') errors.push(fieldRequired(`${at}.mountPath`))
  if (has(mount, 'subPath')) relativePath(mount.subPath, `${list}.subPath`, errors)
  const expression = textOf(mount, 'subPathExpr')
  if (expression !== '') {
    if (textOf(mount, 'subPath') !== '') {
      errors.push(fieldInvalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'))
    }
    relativePath(expression, `${list}.subPathExpr`, errors)
  }
  checkPropagation(mount, container, list, errors)
}

function checkPropagation(mount: JsonObject, container: JsonObject, list: string, errors: FieldError[]): void {
  const propagation = textOf(mount, 'mountPropagation')
  if (has(mount, 'mountPropagation')) {
    const path = `${list}.mountPropagation`
    if (!PROPAGATIONS.includes(propagation)) errors.push(fieldNotSupported(path, propagation, PROPAGATIONS))
    if (propagation === 'Bidirectional' && !flagOf(childOf(container, 'securityContext'), 'privileged')) {
      const detail = 'Bidirectional mount propagation is available only to privileged containers'
      errors.push(fieldForbidden(path, detail))
    }
  }
  if (!has(mount, 'recursiveReadOnly')) return
  const path = `${list}.recursiveReadOnly`
  const mode = textOf(mount, 'recursiveReadOnly')
  if (!RECURSIVE.includes(mode)) return void errors.push(fieldNotSupported(path, mode, RECURSIVE))
  if (mode === 'Disabled') return
  if (!flagOf(mount, 'readOnly')) errors.push(fieldForbidden(path, 'may only be specified when readOnly is true'))
  if (propagation !== '' && propagation !== 'None') {
    const detail = 'may only be specified when mountPropagation is None or not specified'
    errors.push(fieldForbidden(path, detail))
  }
}

/** Paths must be unique, and no volume both mounted and attached. */
function checkDistinct(
  item: JsonObject,
  pathName: string,
  seen: Set<string>,
  others: NamesAndPaths,
  otherList: string,
  at: string,
  errors: FieldError[],
): void {
  const path = textOf(item, pathName)
  if (seen.has(path)) errors.push(fieldInvalid(`${at}.${pathName}`, path, 'must be unique'))
  seen.add(path)
  const name = textOf(item, 'name')
  if (others.names.has(name)) errors.push(fieldInvalid(`${at}.name`, name, `must not already exist in ${otherList}`))
  if (others.paths.has(path)) {
    errors.push(fieldInvalid(`${at}.${pathName}`, path, `must not already exist as a path in ${otherList}`))
  }
}

function checkDevices(
  devices: readonly JsonObject[],
  mounted: NamesAndPaths,
  volumes: PodVolumes,
  at: string,
  errors: FieldError[],
): void {
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [i, device] of devices.entries()) {
    const path = indexPath(at, i)
    const name = textOf(device, 'name')
    const volume = volumes.get(name)
    if (name === '') errors.push(fieldRequired(`${path}.name`))
    else if (names.has(name)) errors.push(fieldInvalid(`${path}.name`, name, 'must be unique'))
    names.add(name)
    if (volume === undefined) errors.push(fieldNotFound(`${path}.name`, name))
    else if (!volume.block) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      errors.push(fieldInvalid(`${path}.name`, name, detail))
    }
    const devicePath = textOf(device, 'devicePath')
    if (devicePath === '') errors.push(fieldRequired(`${path}.devicePath`))
    else if (devicePath.split('/').includes('..')) {
      errors.push(fieldInvalid(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')"))
    }
    checkDistinct(device, 'devicePath', paths, mounted, 'volumeMounts', path, errors)
  }
}
