import { readFileSync, statSync } from 'node:fs'
import type { ConfigMap } from '@orrery/kinds'
import type { Logger } from '@orrery/kube'
import { matchesImage, precision } from './image-pattern.js'
import { type Program, type Programs, parsePrograms } from './program.js'

export interface ProgramRegistryOptions {
  readonly programs: Programs
  /** A file of programs, read again when it has changed. */
  readonly file: string | undefined
  /** A ConfigMap whose values are such files. */
  readonly configMap: (() => ConfigMap | undefined) | undefined
  readonly log: Logger
}

/** Which images are programs of this machine. What a program of this process says comes before the file, then the ConfigMap. */
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

  /** The program for an image: the one whose pattern says most exactly what it means. */
  find(image: string): Program | undefined {
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

  /** What is wrong with the file; undefined when it could be read, or there is none. */
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
    // A file that cannot be read leaves what was known.
    let { programs } = this.#file
    try {
      programs = found === undefined ? {} : parsePrograms(readFileSync(file, 'utf8'), file)
    } catch (error) {
      this.#options.log.warn('Programs not read', { file, error })
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
        this.#options.log.warn('Programs not read', { kind: 'ConfigMap', key, error })
      }
    }
    this.#map = { version, programs: Object.fromEntries(all) }
    return this.#map.programs
  }
}
