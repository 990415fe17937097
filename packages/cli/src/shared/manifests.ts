import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { parseDocuments } from './manifest-yaml.js'

const EXTENSIONS = ['.yaml', '.yml', '.json']

/**
 * Reads the objects in files, in order: YAML or JSON, several in one file, Lists, directories of such files, and `-` for
 * standard input. Invalid and duplicate objects are errors that name the file.
 */
export async function readManifests(paths: readonly string[]): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  const seen = new Map<string, string>()
  for (const path of paths) {
    for (const { file, text } of await textsAt(path)) {
      for (const object of await parseManifests(text, file)) {
        const key = JSON.stringify([object.apiVersion, object.kind, object.metadata.namespace, object.metadata.name])
        const before = seen.get(key)
        if (before !== undefined) {
          throw new Error(
            `${file}: duplicate ${object.kind} ${object.metadata.name}, also in ${before}: remove one of them`,
          )
        }
        seen.set(key, file)
        objects.push(object)
      }
    }
  }
  if (objects.length === 0) throw new Error(`${paths.join(', ')}: no objects found`)
  return objects
}

async function textsAt(path: string): Promise<{ file: string; text: string }[]> {
  if (path === '-') return [{ file: 'standard input', text: await textOf(process.stdin) }]
  const files = (await stat(path)).isDirectory() ? await filesIn(path) : [path]
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })))
}

async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory)
  return names
    .filter((name) => EXTENSIONS.includes(extname(name)))
    .sort()
    .map((name) => join(directory, name))
}

/** Parses the objects in a text. */
export async function parseManifests(text: string, file: string): Promise<KubeObject[]> {
  const values = await parseDocuments(text, file)
  return values.flatMap((value) => (value === null || value === undefined ? [] : objectsIn(value, file)))
}

function objectsIn(value: unknown, file: string): KubeObject[] {
  if (!isObject(value)) throw new Error(`${file}: not a Kubernetes object: apiVersion, kind and metadata are required`)
  const { apiVersion, kind, metadata, items } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    const missing = Object.entries({ apiVersion, kind }).filter(([, text]) => typeof text !== 'string' || text === '')
    throw new Error(
      `${file}: object without ${missing.map(([field]) => field).join(' and ')}: not a Kubernetes manifest`,
    )
  }
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => objectsIn(item, file))
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '') {
    throw new Error(`${file}: ${kind} without metadata.name: set a name`)
  }
  return [value as KubeObject]
}
