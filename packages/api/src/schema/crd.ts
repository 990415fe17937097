import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  Draft,
} from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import type { AnyKind } from './kind.js'

/** A CustomResourceDefinition without server-set fields. */
export interface CrdDraft extends Draft<CustomResourceDefinition> {}

/** The CustomResourceDefinition of a kind, from all its versions. */
export function crdOf(versions: readonly [AnyKind, ...AnyKind[]], conversion?: CustomResourceConversion): CrdDraft {
  const [first] = versions
  const name = resourceName(first)
  const stranger = versions.find((version) => resourceName(version) !== name)
  if (stranger) throw new TypeError(`${resourceName(stranger)} is not a version of ${name}`)
  const annotations = Object.assign({}, ...versions.map((version) => version.annotations))
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      group: first.group,
      names: namesOf(first),
      scope: first.scope,
      versions: versions.map((version) => version.crdVersion),
      ...(conversion !== undefined && { conversion }),
    },
  }
}

function namesOf({ kind, plural, names }: AnyKind): CustomResourceDefinitionNames {
  const { singular, listKind, shortNames, categories } = names
  return {
    kind,
    listKind,
    plural,
    singular,
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
  }
}
