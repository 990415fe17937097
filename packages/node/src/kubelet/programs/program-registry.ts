import { readFileSync, statSync } from 'node:fs'
import type { ConfigMap } from '@orrery/kinds'
import type { Logger } from '@orrery/kube'
import { matchesImage, precision } from './image-pattern.js'
import { type Program, type Programs, parsePrograms } from './program.js'

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
  #file: { readonly stamp: string; readonly programs: Programs; readonly problem?: string } = {
    stamp: '',
    programs: {},
  }
  #map: { readonly version: string; readonly programs: Programs } = { version: '', programs: {} }

  constructor(options: ProgramRegistryOptions) {
    this.#options = options
  }

  /** Returns the program for an image in pods of a namespace: the one with the most specific pattern. */
  find(image: string, namespace: string): Program | undefined {
    if (this.#options.namespaces?.includes(namespace) === false) return undefined
    for (const programs of [this.#options.programs, this.#fromFile(), this.#fromConfigMap()]) {
      let best: string | undefined
      for (const pattern of Object.keys(programs)) {
        if (!matchesImage(pattern, image)) continue
        if (best === undefined || precision(pattern) > precision(best)) best = pattern
      }
      if (best !== undefined) return programs[best]
    }
    return undefined
  }

  /** The problem with the file; undefined if it was read or does not exist. */
  get problem(): string | undefined {
    this.#fromFile()
    return this.#file.problem
  }

  #fromFile(): Programs {
    const { file } = this.#options
    if (file === undefined) return {}
    const found = statSync(file, { throwIfNoEntry: false })
    const stamp = found === undefined ? 'missing' : `${found.mtimeMs} ${found.size} ${found.ino}`
    if (stamp === this.#file.stamp) return this.#file.programs
    // An unreadable file keeps the known programs.
    let { programs } = this.#file
    try {
      programs = found === undefined ? {} : parsePrograms(readFileSync(file, 'utf8'), file)
    } catch (error) {
      this.#options.log.warn('Reading programs failed', { file, error })
      this.#file = { stamp, programs, problem: error instanceof Error ? error.message : String(error) }
      return programs
    }
    this.#file = { stamp, programs }
    return programs
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
