import {
  type AddOnDeploymentConfigSpec,
  IMAGE_REGISTRIES_ANNOTATION,
  type ImageMirror,
  type ManagedCluster,
} from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { deploymentConfig } from './deployment-config.js'
import type { ValuesSource } from './values.js'

/**
 * The image from its mirror. A mirror replaces the prefix `source` of an image; without a source, everything before the last
 * slash. If several match, the last one applies.
 */
export function overrideImage(registries: readonly ImageMirror[], image: string): string {
  return registries.reduce((chosen, registry) => {
    const mirrored = mirroredImage(registry, image)
    return mirrored === image ? chosen : mirrored
  }, image)
}

/** The mirrors of an AddOnDeploymentConfig; if it has none, those in the annotation of the ManagedCluster. */
export function imageRegistries(
  cluster: ManagedCluster,
  config: AddOnDeploymentConfigSpec | undefined,
): readonly ImageMirror[] {
  const { registries = [] } = config ?? {}
  return registries.length > 0 ? registries : clusterRegistries(cluster)
}

/**
 * A value with an image from its mirror. The key may have dots: `global.imageOverrides.agent` is a value in two objects. If
 * the mirrors of the AddOnDeploymentConfig do not change the image, those of the cluster apply.
 */
export function imageValues(key: string, image: string): ValuesSource {
  return async (cluster, addon, context) => {
    const config = await deploymentConfig(addon, context)
    const configured = overrideImage(config?.spec.registries ?? [], image)
    return nested(key, configured === image ? overrideImage(clusterRegistries(cluster), image) : configured)
  }
}

function mirroredImage({ source = '', mirror }: ImageMirror, image: string): string {
  const from = withoutSlash(source)
  const to = withoutSlash(mirror)
  if (from !== '') return image.startsWith(from) ? `${to}${image.slice(from.length)}` : image
  const name = image.slice(image.lastIndexOf('/') + 1)
  return to === '' ? name : `${to}/${name}`
}

function withoutSlash(prefix: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
}

function clusterRegistries({ metadata: { name, annotations } }: ManagedCluster): readonly ImageMirror[] {
  const text = annotations?.[IMAGE_REGISTRIES_ANNOTATION] ?? ''
  if (text === '') return []
  const value = parsed(text)
  const registries = isObject(value) ? (value.registries ?? []) : undefined
  if (!Array.isArray(registries) || !registries.every(isMirror)) {
    const wanted = '{"registries":[{"source":"…","mirror":"…"}]}'
    throw new Error(`the annotation ${IMAGE_REGISTRIES_ANNOTATION} of cluster ${JSON.stringify(name)} is not ${wanted}`)
  }
  return registries as unknown as ImageMirror[]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isMirror(value: unknown): boolean {
  return isObject(value) && typeof value.mirror === 'string' && typeof (value.source ?? '') === 'string'
}

function nested(key: string, image: string): JsonObject {
  const [first = key, ...rest] = key.split('.')
  return { [first]: rest.length === 0 ? image : nested(rest.join('.'), image) }
}
