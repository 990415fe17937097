import { type EmbeddedObject, hasWildcard, type ManifestConfig, manifestSize } from '@orrery/api'
import { badRequest } from '@orrery/kinds/values'

/** Denies manifests that exceed the size limit together, have no name, or occur twice. */
export function checkManifests(manifests: readonly EmbeddedObject[], limit: number): void {
  const size = manifests.reduce((sum, manifest) => sum + manifestSize(manifest), 0)
  if (size > limit) throw badRequest(`the size of manifests is ${size} bytes which exceeds the ${limit} limit`)
  const seen = new Set<string>()
  for (const [index, { apiVersion, kind, metadata = {} }] of manifests.entries()) {
    const { name = '', generateName = '', namespace = '' } = metadata
    const where = `manifest at index ${index} (${apiVersion} ${kind})`
    if (name === '') throw badRequest(`name must be set in ${where}`)
    if (generateName !== '') throw badRequest(`generateName must not be set in ${where}`)
    const key = [apiVersion, kind, namespace, name].join('\n')
    if (seen.has(key)) {
      const type = `${apiVersion}.${kind}`
      throw badRequest(`duplicate manifest for resource ${namespace}/${name} with resource type ${type}`)
    }
    seen.add(key)
  }
}

/** Each pattern is compared with each manifest. */
const MAX_PATTERNS = 1_000

/** Denies more patterns than an agent can compare with the manifests in time. */
export function checkPatterns(configs: readonly ManifestConfig[] = []): void {
  const patterns = configs.filter(({ resourceIdentifier }) => hasWildcard(resourceIdentifier)).length
  if (patterns <= MAX_PATTERNS) return
  throw badRequest(
    `manifestConfigs has ${patterns} resource identifiers with "*", more than ${MAX_PATTERNS}: name the objects instead`,
  )
}
