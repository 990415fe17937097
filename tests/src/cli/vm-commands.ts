import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { mergeIntoKubeconfig, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { OvimFixture, type Person } from '../ovim/ovim-fixture.js'
import type { CommandResult } from '../support/cli.js'
import { orreryAtOnce } from '../support/cli-here.js'
import { temporaryDirectory } from '../support/server.js'

/** Commands on an OVIM hub, by its administrator and by people with tokens. */
export class VmCommands {
  readonly ovim: OvimFixture
  readonly directory: string
  readonly kubeconfig: string

  private constructor(ovim: OvimFixture, directory: string) {
    this.ovim = ovim
    this.directory = directory
    this.kubeconfig = join(directory, 'kubeconfig')
  }

  static async start(t: TestContext): Promise<VmCommands> {
    const ovim = await OvimFixture.start(t, { listens: true })
    const commands = new VmCommands(ovim, await temporaryDirectory(t))
    await commands.#add(await ovim.server.kubeconfig('admin'))
    return commands
  }

  /** Adds a context for somebody. */
  async addPerson({ name, token }: Person, namespace?: string): Promise<void> {
    const { url: server, certificateAuthority } = this.ovim.server
    const data = Buffer.from(certificateAuthority).toString('base64')
    const context = { cluster: name, user: name, ...(namespace !== undefined && { namespace }) }
    await this.#add(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name, cluster: { server, 'certificate-authority-data': data } }],
        users: [{ name, user: { token } }],
        contexts: [{ name, context }],
      }),
    )
  }

  async #add(text: string): Promise<void> {
    await mergeIntoKubeconfig(this.kubeconfig, await parseKubeconfig(text), { setCurrent: false })
  }

  /** Runs a command as somebody. */
  as(context: string, ...args: readonly string[]): Promise<CommandResult> {
    return orreryAtOnce(...args, '--kubeconfig', this.kubeconfig, '--context', context)
  }

  run(...args: readonly string[]): Promise<CommandResult> {
    return this.as('admin', ...args)
  }

  async file(name: string, text: string): Promise<string> {
    const path = join(this.directory, name)
    await writeFile(path, text)
    return path
  }
}
