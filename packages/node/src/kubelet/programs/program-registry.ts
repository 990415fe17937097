import type { ConfigMap } from '@orrery/kinds'
import type { Logger } from '@orrery/kube'
import { bestMatch } from './image-pattern.js'
import { type Program, type Programs, parsePrograms } from './program.js'
import { RegisteredFile } from './registered-file.js'

export interface ProgramRegistryOptions {
  readonly programs: Programs
  /** A file of programs, read again after each change. */
  readonly file: string | undefined
  /** A ConfigMap whose values are such files. */
  readonly configMap: (() => ConfigMap | undefined) | undefined
  /** The namespaces whose pods may run programs. Undefined: all. */
  readonly namespaces?: readonly string[] | undefined
  readonly log: Logger
}

/**
 * The registered programs by image. Programs from the options take precedence over the file, and the file over the
 * ConfigMap.
 */
export class ProgramRegistry {
  readonly #options: ProgramRegistryOptions
  readonly #file: RegisteredFile<Program>
  #map: { readonly version: string; readonly programs: Programs } = { version: '', programs: {} }

  constructor(options: ProgramRegistryOptions) {
    this.#options = options
    this.#file = new RegisteredFile(options.file, 'programs', parsePrograms, options.log)
  }

  /** Returns the program for an image in pods of a namespace: the one with the most specific pattern. */
  find(image: string, namespace: string): Program | undefined {
    if (this.#options.namespaces?.includes(namespace) === false) return undefined
    for (const programs of [this.#options.programs, this.#file.read(), this.#fromConfigMap()]) {
      const found = bestMatch(programs, image)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The problem with the file; undefined if it was read or does not exist. */
  get problem(): string | undefined {
    return this.#file.problem
  }

  #fromConfigMap(): Programs {
    const found = this.#options.configMap?.()
    const version = found === undefined ? 'missing' : `${found.metadata.uid} ${found.metadata.resourceVersion}`
    if (version === this.#map.version) return this.#map.programs
    const all: [string, Program][] = []
    for (const [key, text] of Object.entries(found?.data ?? {})) {
      try {
        all.push(...Object.entries(parsePrograms(text, key)))
      } catch (error) {
        this.#options.log.warn('Reading programs failed', { kind: 'ConfigMap', key, error })
      }
    }
    this.#map = { version, programs: Object.fromEntries(all) }
    return this.#map.programs
  }
}
