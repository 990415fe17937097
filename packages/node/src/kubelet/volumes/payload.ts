import {
  type ApiObject,
  ConfigMap,
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
import { ByteBudget } from '../downward-api/byte-budget.js'
import { containerNamed } from '../downward-api/container-named.js'
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
/** The maximum size of the API objects that the volumes of a pod project. An object has a few megabytes at most. */
const MOST_BYTES = 64 * 1024 * 1024

/** Returns the budget for all volumes of a pod that project API objects. */
export function payloadBudget({ metadata, spec }: Pod): ByteBudget {
  const [only, ...others] = spec.volumes ?? []
  const shown = only === undefined || others.length > 0 ? '*' : only.name
  const why = `the volumes of pod ${JSON.stringify(metadata.name)} project more than ${MOST_BYTES} bytes of API objects`
  return new ByteBudget(MOST_BYTES, () => new NotMounted(shown, `${why}: project fewer of them`))
}

/** Returns the files of a volume that projects API objects; undefined for other volumes. Throws `NotMounted`. */
export async function payloadOf(
  pod: Pod,
  volume: Volume,
  sources: VolumeSources,
  budget: ByteBudget,
): Promise<Payload | undefined> {
  const files = new Map<string, VolumeFile>()
  const { configMap, secret, downwardAPI, projected } = volume
  const fill = (projection: VolumeProjection, mode: number | undefined) =>
    project({ pod, volume: volume.name, sources, files, budget, mode: mode ?? DEFAULT_MODE }, projection)
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
  readonly budget: ByteBudget
  readonly mode: number
}

async function project(filling: Filling, projection: VolumeProjection): Promise<void> {
  const { pod, volume, sources, files, budget, mode } = filling
  const { configMap, secret, downwardAPI, serviceAccountToken } = projection
  if (configMap !== undefined) {
    const found = await sources.object(ConfigMap, configMap.name ?? '')
    if (found === undefined && configMap.optional !== true) {
      throw new NotMounted(volume, `configmap ${JSON.stringify(configMap.name)} not found`)
    }
    const { data = {}, binaryData = {} } = found ?? {}
    const bytesOf = (key: string) => {
      if (Object.hasOwn(binaryData, key)) return Buffer.from(binaryData[key] ?? '', 'base64')
      return Object.hasOwn(data, key) ? Buffer.from(data[key] ?? '') : undefined
    }
    const keys = () => new Set([...Object.keys(data), ...Object.keys(binaryData)])
    return pick(filling, { bytesOf, keys }, configMap.items, configMap.optional)
  }
  if (secret !== undefined) {
    const found = await sources.object(Secret, secret.name ?? '')
    if (found === undefined && secret.optional !== true) {
      throw new NotMounted(volume, `secret ${JSON.stringify(secret.name)} not found`)
    }
    const { data = {} } = found ?? {}
    const bytesOf = (key: string) => (Object.hasOwn(data, key) ? Buffer.from(data[key] ?? '', 'base64') : undefined)
    return pick(filling, { bytesOf, keys: () => Object.keys(data) }, secret.items, secret.optional)
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
    const bytes = Buffer.from(downwardText(pod, volume, item, sources))
    budget.take(bytes.length + item.path.length)
    files.set(item.path, { bytes, mode: item.mode ?? mode })
  }
}

/** The data of a ConfigMap or Secret. Only projected values are decoded. */
interface KeyedData {
  readonly bytesOf: (key: string) => Buffer | undefined
  readonly keys: () => Iterable<string>
}

function pick(
  { volume, files, budget, mode: defaultMode }: Filling,
  { bytesOf, keys }: KeyedData,
  items: readonly KeyToPath[] | undefined,
  optional = false,
): void {
  const wanted = items ?? Array.from(keys(), (key): KeyToPath => ({ key, path: key }))
  for (const { key, path, mode = defaultMode } of wanted) {
    budget.take(path.length)
    const bytes = bytesOf(key)
    if (bytes === undefined) {
      if (optional) continue
      throw new NotMounted(volume, `references non-existent config key: ${key}`)
    }
    budget.take(bytes.length)
    files.set(path, { bytes, mode })
  }
}

function downwardText(pod: Pod, volume: string, item: DownwardAPIVolumeFile, sources: VolumeSources): string {
  const { fieldRef, resourceFieldRef } = item
  if (fieldRef !== undefined) {
    const value = podFieldValue(pod, fieldRef.fieldPath, sources.place)
    if (value === undefined) throw new NotMounted(volume, `unsupported fieldPath: ${fieldRef.fieldPath}`)
    return value
  }
  const container = containerNamed(pod, resourceFieldRef?.containerName)
  if (resourceFieldRef === undefined || container === undefined) {
    throw new NotMounted(volume, `no container for the resource of ${item.path}`)
  }
  return resourceFieldValue(resourceFieldRef, container, sources.allocatable)
}
