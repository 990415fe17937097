// Converts a discovery document to resource lines: `pods Pod namespaced short:po in:all`, subresources indented.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** The resource lines of one API group version, and the kinds they serve. */
export function resourceLines(root, module) {
  if (module.resources === false) return { lines: [], kinds: [] }
  const { group, version } = module
  const name = group === '' ? `api__${version}` : `apis__${group}__${version}`
  const document = JSON.parse(readFileSync(join(root, `api/discovery/${name}.json`), 'utf8'))
  const skipped = new Set(module.skip ?? [])
  const lines = []
  const kinds = new Set()
  for (const resource of document.resources) {
    const [plural, subresource] = resource.name.split('/')
    if (skipped.has(plural)) continue
    if (subresource === undefined) {
      lines.push(resourceLine(resource))
      kinds.add(resource.kind)
    } else {
      const elsewhere = resource.group === undefined ? '' : `${resource.group}/${resource.version}.`
      lines.push(`  ${subresource} ${elsewhere}${resource.kind} ${resource.verbs.join(',')}`)
    }
  }
  return { lines, kinds: [...kinds] }
}

function resourceLine(resource) {
  if (resource.singularName !== resource.kind.toLowerCase())
    throw new Error(`${resource.name}: irregular singular name`)
  const words = [resource.name, resource.kind, resource.namespaced ? 'namespaced' : 'cluster']
  if (resource.shortNames !== undefined) words.push(`short:${resource.shortNames.join(',')}`)
  if (resource.categories !== undefined) words.push(`in:${resource.categories.join(',')}`)
  const isWhole = resource.verbs.length === ALL.length && ALL.every((verb) => resource.verbs.includes(verb))
  if (!isWhole) words.push(`verbs:${resource.verbs.join(',')}`)
  return words.join(' ')
}
