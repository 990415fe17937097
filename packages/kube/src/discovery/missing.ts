import { formatGroupVersion, resourceName } from '@orrery/kinds/values'
import type { Catalog } from './catalog.js'
import { type Candidate, nearMisses } from './nearmiss.js'
import { NoMatchError } from './no-match.js'
import type { ApiResource, KindName, PluralName } from './types.js'

/** The error for a missing kind, with the groups that have one of this or a similar name. */
export function missingKind(catalog: Catalog, { group, kind, version }: KindName): NoMatchError {
  const inGroup = group === '' ? 'the core group' : `group ${JSON.stringify(group)}`
  const where = version === undefined ? inGroup : `version ${JSON.stringify(formatGroupVersion(group, version))}`
  const label = (resource: ApiResource) => `${resource.kind} in ${formatGroupVersion(resource.group, resource.version)}`
  const named = (resource: ApiResource) => [resource.kind]
  const elsewhere = catalog.resources.filter((resource) => resource.kind === kind).map(label)
  return new NoMatchError({
    message: `no matches for kind ${JSON.stringify(kind)} in ${where}`,
    name: kind,
    group,
    nearMisses: elsewhere.length > 0 ? elsewhere.slice(0, 3) : nearMisses(kind, candidates(catalog, label, named)),
    unavailable: [...catalog.unavailable.keys()],
  })
}

/** The error for a missing resource, by group and plural. */
export function missingPlural(catalog: Catalog, { group, plural, version }: PluralName): NoMatchError {
  const full = version === undefined ? resourceName({ group, plural }) : `${plural}.${version}.${group}`
  return missing(catalog, full, plural, group)
}

/** The error for a resource argument that matches nothing. */
export function missingArgument(catalog: Catalog, text: string): NoMatchError {
  return missing(catalog, text, text.split('.', 1)[0]?.toLowerCase() ?? '')
}

function missing(catalog: Catalog, full: string, name: string, group?: string): NoMatchError {
  const words = ({ plural, singular, shortNames }: ApiResource) => [plural, singular, ...shortNames]
  return new NoMatchError({
    message: `the server doesn't have a resource type ${JSON.stringify(full)}`,
    name,
    ...(group !== undefined && { group }),
    nearMisses: nearMisses(name, candidates(catalog, resourceName, words)),
    unavailable: [...catalog.unavailable.keys()],
  })
}

function* candidates(
  { resources }: Catalog,
  labelOf: (resource: ApiResource) => string,
  wordsOf: (resource: ApiResource) => readonly string[],
): Generator<Candidate> {
  for (const resource of resources) {
    const label = labelOf(resource)
    for (const name of wordsOf(resource)) yield { name, label }
  }
}
