// Parses type declarations in Go source: enough of the language for API types, which are flat and tagged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `{ structs: Map<name, Field[]>, named: Map<name, {type, wrapped}>, imports: Map<alias, path> }` of one Go package. */
export function readGoPackage(root, files) {
  const found = { structs: new Map(), named: new Map(), imports: new Map() }
  for (const file of files) readGoFile(readFileSync(join(root, file), 'utf8'), found)
  return found
}

function readGoFile(text, found) {
  let structName
  let wrapped = false
  let comments = []
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    if (structName !== undefined) {
      if (trimmed === '}') structName = undefined
      else if (trimmed.startsWith('//')) comments.push(trimmed.slice(2).trim())
      else if (trimmed !== '') {
        const field = goField(trimmed, comments)
        if (field !== undefined) found.structs.get(structName).push(field)
        comments = []
      }
      continue
    }
    if (trimmed.startsWith('//')) {
      // This marker is set on a slice that protobuf wraps in a message.
      if (trimmed.includes('+protobuf.nullable=true')) wrapped = true
      continue
    }
    const imported = /^(?:import\s+)?(\w+)?\s*"([\w./-]+)"$/.exec(trimmed)
    if (imported) found.imports.set(imported[1] ?? imported[2].split('/').at(-1), imported[2])
    const declared = /^type (\w+) (=\s*)?(.+)$/.exec(trimmed)
    if (declared) {
      const [, name, , type] = declared
      if (/^struct\s*{/.test(type)) {
        found.structs.set(name, [])
        if (!type.endsWith('}')) structName = name
      } else if (!type.startsWith('interface') && !type.startsWith('func')) found.named.set(name, { type, wrapped })
    }
    if (trimmed !== '') wrapped = false
  }
}

function goField(line, comments) {
  const parsed = /^(?:(\w+)\s+)?([\w.*[\]{}]+)\s+`(.*)`/.exec(line)
  if (!parsed) return undefined
  const [, name, type, tags] = parsed
  const json = /json:"([^"]*)"/.exec(tags)
  if (!json) return undefined
  const [jsonName, ...options] = json[1].split(',')
  if (jsonName === '-') return undefined
  const protobuf = /protobuf:"\w+,(\d+)/.exec(tags)
  return {
    embedded: name === undefined,
    json: jsonName,
    type,
    omitEmpty: options.includes('omitempty'),
    omitZero: options.includes('omitzero'),
    number: protobuf ? Number(protobuf[1]) : undefined,
    patchStrategy: /patchStrategy:"([^"]*)"/.exec(tags)?.[1],
    patchMergeKey: /patchMergeKey:"([^"]*)"/.exec(tags)?.[1],
    listType: comments.map((comment) => /^\+listType=(\w+)$/.exec(comment)?.[1]).find(Boolean),
    listMapKeys: comments.map((comment) => /^\+listMapKey=(\w+)$/.exec(comment)?.[1]).filter(Boolean),
    optional: comments.includes('+optional'),
  }
}
