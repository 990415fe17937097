import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NotStarted, RUN_ERROR } from '../container/not-started.js'
import type { ContainerSite, SiteCommand } from '../isolation/container-site.js'
import { GroupProcess } from '../os/child-process.js'
import { findExecutable } from '../os/executable.js'
import { endStraysOf, ROOT_VARIABLE } from '../os/strays.js'
import type { ContainerRoot } from './container-root.js'

export interface OpenSiteOptions {
  /** The directory of the container. */
  readonly directory: string
  readonly container: ContainerRoot
  /** The working directory on the machine. */
  readonly workingDirectory: string
}

/**
 * A container without isolation: its processes see the files of the machine, and paths of the container are rewritten.
 */
export class OpenSite implements ContainerSite {
  readonly isIsolated = false
  readonly root: string
  readonly home: string
  readonly messagePath: string
  readonly messageFile: string
  readonly #options: OpenSiteOptions

  constructor(options: OpenSiteOptions) {
    this.#options = options
    const { path, messageFile } = options.container
    this.root = path
    this.home = path
    this.messagePath = messageFile
    this.messageFile = messageFile
  }

  /** Creates the directories that its processes require. */
  async prepare(): Promise<void> {
    await mkdir(this.#options.workingDirectory, { recursive: true })
    await mkdir(dirname(this.messageFile), { recursive: true })
    await writeFile(this.messageFile, '')
  }

  place(path: string): string {
    return this.#options.container.place(path)
  }

  rewrite(text: string): string {
    return this.#options.container.rewrite(text)
  }

  async keep(name: string, text: string): Promise<string> {
    const path = join(this.#options.directory, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }

  start(command: SiteCommand): Promise<GroupProcess> {
    return this.#run(command, () => endStraysOf(this.root))
  }

  enter(command: SiteCommand): Promise<GroupProcess> {
    return this.#run(command)
  }

  async #run(
    { command, environment, flow, onOutput, hasInput = false, hasReport = false }: SiteCommand,
    sweep?: () => Promise<void>,
  ): Promise<GroupProcess> {
    const { workingDirectory: directory } = this.#options
    const [name = '', ...args] = command
    const file = await findExecutable(name, environment.get('PATH') ?? '', directory)
    if (file === undefined) throw new NotStarted(RUN_ERROR, `failed to start ${JSON.stringify(name)}: not found`)
    try {
      return await GroupProcess.start({
        command: [file, ...args],
        environment: new Map([...environment, [ROOT_VARIABLE, this.root]]),
        directory,
        flow,
        onOutput,
        descriptors: [
          hasInput ? 'input' : 'nothing',
          'output',
          'output',
          ...(hasReport ? (['nothing', 'report'] as const) : []),
        ],
        ...(sweep !== undefined && { sweep }),
      })
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      throw new NotStarted(RUN_ERROR, `failed to start ${JSON.stringify(name)}: ${code}`)
    }
  }
}
