import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Isolation } from '../../kubelet/isolation/isolation.js'
import { findTools, TOOL_PATH } from '../../kubelet/isolation/tools.js'
import { GroupProcess } from '../../kubelet/os/child-process.js'
import { notePid } from '../../kubelet/os/leftovers.js'
import type { TakeOutput } from '../../kubelet/os/output.js'

/** A file or directory of this machine that a program of QEMU uses. */
export interface SharedFile {
  /** The path with links resolved. */
  readonly source: string
  readonly isFile: boolean
  readonly isReadOnly: boolean
}

export interface SiteOptions {
  /** Undefined: programs see all files of this machine. */
  readonly isolation: Isolation | undefined
  /** The directory of the machine. Its PID is recorded here. */
  readonly directory: string
  readonly hostname: string
  readonly shared: readonly SharedFile[]
  readonly devices: readonly string[]
}

const WORKING_DIRECTORY = '/machine'

/**
 * Where a program of QEMU runs: in namespaces with nothing of this machine but the system's own files and those that it is
 * given, as pods' programs do. It ends when the node is killed.
 */
export class QemuSite {
  /** The working directory of the program on this machine. */
  readonly directory: string
  readonly #options: SiteOptions

  private constructor(options: SiteOptions) {
    this.#options = options
    this.directory = join(options.directory, 'files')
  }

  static async make(options: SiteOptions): Promise<QemuSite> {
    const site = new QemuSite(options)
    await mkdir(site.directory, { recursive: true, mode: 0o700 })
    return site
  }

  /** Returns the path of a shared file as the program sees it. */
  placeOf(index: number): string {
    const { isolation, shared } = this.#options
    return isolation === undefined ? (shared[index]?.source ?? '') : `/shared/${index}`
  }

  async start(command: readonly string[], onOutput: TakeOutput): Promise<GroupProcess> {
    const { isolation, directory, hostname, shared, devices } = this.#options
    const environment = new Map([['PATH', TOOL_PATH]])
    const [program = ''] = command
    let process: GroupProcess
    if (isolation === undefined) {
      const bound = await findTools().then(
        ({ setpriv }) => [setpriv, '--pdeathsig', 'KILL', '--'],
        // Other systems have no such tool: the next start of the node ends the program.
        () => [],
      )
      process = await GroupProcess.start({
        command: [...bound, ...command],
        environment,
        directory: this.directory,
        onOutput,
      })
    } else {
      const mounts = shared.map(({ source, isFile, isReadOnly }, index) => ({
        source,
        subPath: '',
        mountPath: this.placeOf(index),
        readOnly: isReadOnly,
        isFile,
      }))
      const own = { source: this.directory, subPath: '', mountPath: WORKING_DIRECTORY, readOnly: false }
      const site = await isolation.site({
        program: { command: [program] },
        executables: [program],
        directory: join(directory, 'sandbox'),
        hostname,
        mounts: [own, ...mounts],
        messagePath: '/dev/termination-log',
        workingDirectory: WORKING_DIRECTORY,
        devices,
        endsWithNode: true,
      })
      process = await site.start({ command, environment, onOutput })
    }
    await notePid(directory, process.leader)
    return process
  }
}
