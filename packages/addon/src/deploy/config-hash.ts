import { CONFIG_SPEC_HASH_ANNOTATION, type ConfigReference } from '@orrery/api'

/**
 * The annotation of a work with the hashes of the configurations that its manifests were rendered with. The hub compares it
 * with the desired configurations to determine the progress of a rollout.
 */
export function configHashAnnotation(references: readonly ConfigReference[] = []): Readonly<Record<string, string>> {
  if (references.length === 0) return {}
  const hashes = references.flatMap(({ group = '', resource, desiredConfig }) => {
    if (desiredConfig === undefined) return []
    const { namespace = '', name, specHash } = desiredConfig
    return [[`${group === '' ? resource : `${resource}.${group}`}/${namespace}/${name}`, specHash] as const]
  })
  const sorted = hashes.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { [CONFIG_SPEC_HASH_ANNOTATION]: JSON.stringify(Object.fromEntries(sorted)) }
}
