import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { addOnConverters } from '@orrery/api'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { EMBEDDED_HUB_FEATURES, startHub } from '@orrery/hub'
import type { KubeClient } from '@orrery/kube'
import { mergeIntoKubeconfig, parseKubeconfig } from '@orrery/kube/kubeconfig'
import type { CommandResult } from '../support/cli.js'
import { orrery } from '../support/cli-here.js'
import { afterwards, temporaryDirectory } from '../support/server.js'

/** API servers in this process, in one kubeconfig with a context each, and commands that run on them. */
export class CommandHub {
  readonly directory: string
  readonly kubeconfig: string
  readonly #t: TestContext

  private constructor(t: TestContext, directory: string) {
    this.#t = t
    this.directory = directory
    this.kubeconfig = join(directory, 'kubeconfig')
  }

  static async start(t: TestContext): Promise<CommandHub> {
    return new CommandHub(t, await temporaryDirectory(t))
  }

  /** Starts an API server under the name of a context. */
  async serve(context: string): Promise<{ readonly server: ApiServer; readonly client: KubeClient }> {
    const server = await startApiServer({ converters: addOnConverters })
    afterwards(this.#t, () => server.close())
    await mergeIntoKubeconfig(this.kubeconfig, await parseKubeconfig(await server.kubeconfig(context)), {
      setCurrent: false,
    })
    return { server, client: server.client() }
  }

  /** Starts the controllers of a hub, as `orrery hub` would. */
  async runHub(client: KubeClient): Promise<void> {
    const hub = await startHub({ client, features: EMBEDDED_HUB_FEATURES })
    afterwards(this.#t, () => hub.close())
  }

  /** Runs a command on the hub. */
  run(...args: readonly string[]): Promise<CommandResult> {
    return orrery(...args, '--kubeconfig', this.kubeconfig, '--context', 'hub')
  }

  /** What a command on the hub prints as JSON. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const { out, errors, code } = await this.run(...args, '-o', 'json')
    if (code !== 0) throw new Error(errors)
    return JSON.parse(out) as T
  }
}
