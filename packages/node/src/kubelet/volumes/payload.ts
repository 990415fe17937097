import {
  type ApiObject,
  ConfigMap,
  type Container,
  type DownwardAPIVolumeFile,
  type KeyToPath,
  type Kind,
  type Pod,
  Secret,
  type ServiceAccountTokenProjection,
  type Volume,
  type VolumeProjection,
} from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { type PodPlace, podFieldValue } from '../downward-api/field-value.js'
import { resourceFieldValue } from '../downward-api/resource-value.js'
import type { Payload, VolumeFile } from './atomic-directory.js'

/** The volumes of a pod cannot be set up now. */
export class NotMounted extends Error {
  constructor(volume: string, why: string) {
    super(`MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${why}`)
    this.name = 'NotMounted'
  }
}

/** The sources of volume files. */
export interface VolumeSources {
  object<T extends ApiObject>(kind: Kind<T, object>, name: string): Promise<T | undefined>
  token(projection: ServiceAccountTokenProjection): Promise<string>
  readonly place: PodPlace
  readonly allocatable: Readonly<Record<string, string>>
}

const DEFAULT_MODE = 0o644

/** Returns the files of a volume that projects API objects; undefined for other volumes. */
export async function payloadOf(pod: Pod, volume: Volume, sources: VolumeSources): Promise<Payload | undefined> {
  const files = new Map<string, VolumeFile>()
  const { configMap, secret, downwardAPI, projected } = volume
  const fill = (projection: VolumeProjection, mode: number | undefined) =>
    project({ pod, volume: volume.name, sources, files, mode: mode ?? DEFAULT_MODE }, projection)
  if (configMap !== undefined) await fill({ configMap }, configMap.defaultMode)
  else if (downwardAPI !== undefined) await fill({ downwardAPI }, downwardAPI.defaultMode)
  else if (secret !== undefined) {
    const { secretName = '', defaultMode, ...rest } = secret
    await fill({ secret: { ...rest, name: secretName } }, defaultMode)
  } else if (projected !== undefined) {
    for (const source of projected.sources ?? []) await fill(source, projected.defaultMode)
  } else return undefined
  return files
}

interface Filling {
  readonly pod: Pod
  readonly volume: string
  readonly sources: VolumeSources
  readonly files: Map<string, VolumeFile>
  readonly mode: number
}

async function project(filling: Filling, projection: VolumeProjection): Promise<void> {
  const { pod, volume, sources, files, mode } = filling
  const { configMap, secret, downwardAPI, serviceAccountToken } = projection
  if (configMap !== undefined) {
    const found = await sources.object(ConfigMap, configMap.name ?? '')
    if (found === undefined && configMap.optional !== true) {
      throw new NotMounted(volume, `configmap ${JSON.stringify(configMap.name)} not found`)
    }
    const data = new Map<string, Buffer>()
    for (const [key, text] of Object.entries(found?.data ?? {})) data.set(key, Buffer.from(text))
    for (const [key, text] of Object.entries(found?.binaryData ?? {})) data.set(key, Buffer.from(text, 'base64'))
    return pick(filling, data, configMap.items, configMap.optional)
  }
  if (secret !== undefined) {
    const found = await sources.object(Secret, secret.name ?? '')
    if (found === undefined && secret.optional !== true) {
      throw new NotMounted(volume, `secret ${JSON.stringify(secret.name)} not found`)
    }
    const entries = Object.entries(found?.data ?? {})
    const data = new Map(entries.map(([key, text]) => [key, Buffer.from(text, 'base64')]))
    return pick(filling, data, secret.items, secret.optional)
  }
  if (serviceAccountToken !== undefined) {
    const token = await sources.token(serviceAccountToken).catch((error: unknown) => {
      if (!(error instanceof StatusError)) throw error
      throw new NotMounted(volume, `failed to fetch token: ${error.message}`)
    })
    // Only the user of the program can read the token.
    files.set(serviceAccountToken.path, { bytes: Buffer.from(token), mode: 0o600 })
    return
  }
  if (downwardAPI === undefined) throw new NotMounted(volume, 'this node does not support one of its sources')
  for (const item of downwardAPI.items ?? []) {
    files.set(item.path, { bytes: Buffer.from(downwardText(pod, volume, item, sources)), mode: item.mode ?? mode })
  }
}

function pick(
  { volume, files, mode }: Filling,
  data: ReadonlyMap<string, Buffer>,
  items: readonly KeyToPath[] | undefined,
  optional = false,
): void {
  if (items === undefined) {
    for (const [key, bytes] of data) files.set(key, { bytes, mode })
    return
  }
  for (const item of items) {
    const bytes = data.get(item.key)
    if (bytes !== undefined) files.set(item.path, { bytes, mode: item.mode ?? mode })
    else if (!optional) throw new NotMounted(volume, `references non-existent config key: ${item.key}`)
  }
}

function downwardText(pod: Pod, volume: string, item: DownwardAPIVolumeFile, sources: VolumeSources): string {
  const { fieldRef, resourceFieldRef } = item
  if (fieldRef !== undefined) {
    const value = podFieldValue(pod, fieldRef.fieldPath, sources.place)
    if (value === undefined) throw new NotMounted(volume, `unsupported fieldPath: ${fieldRef.fieldPath}`)
    return value
  }
  const all: readonly Container[] = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  const container = all.find(({ name }) => name === resourceFieldRef?.containerName)
  if (resourceFieldRef === undefined || container === undefined) {
    throw new NotMounted(volume, `no container for the resource of ${item.path}`)
  }
  return resourceFieldValue(resourceFieldRef, container, sources.allocatable)
}
