import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { isObject, type KubeObject } from '@orrery/kube'
import { parseDocuments } from './manifest-yaml.js'

const EXTENSIONS = ['.yaml', '.yml', '.json']

/**
 * The objects in files, in their order: YAML or JSON, several in one file, lists, directories of such files, and `-` for
 * standard input. What cannot be an object, or is there twice, is an error that says where.
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
            `${file}: ${object.kind} ${object.metadata.name} is in ${before} already: leave out one of them`,
          )
        }
        seen.set(key, file)
        objects.push(object)
      }
    }
  }
  if (objects.length === 0) throw new Error(`${paths.join(', ')}: there is no object in it`)
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

/** The objects in a text. */
export async function parseManifests(text: string, file: string): Promise<KubeObject[]> {
  const values = await parseDocuments(text, file)
  return values.flatMap((value) => (value === null || value === undefined ? [] : objectsIn(value, file)))
}

function objectsIn(value: unknown, file: string): KubeObject[] {
  if (!isObject(value)) throw new Error(`${file}: an object is expected, with apiVersion, kind and metadata`)
  const { apiVersion, kind, metadata, items } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    throw new Error(`${file}: an object lacks apiVersion or kind`)
  }
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => objectsIn(item, file))
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '') {
    throw new Error(`${file}: a ${kind} lacks metadata.name, which every object of a work needs`)
  }
  return [value as KubeObject]
}
