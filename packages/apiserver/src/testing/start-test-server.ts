import type { KubeClient } from '@orrery/kube'
import type { ApiServer } from '../server/api-server.js'
import type { ApiServerOptions } from '../server/options.js'
import { startApiServer } from '../server/server.js'

/** An API server inside a test. */
export interface TestServer {
  readonly server: ApiServer
  /** A client of the administrator, without a network. */
  readonly client: KubeClient
  close(): Promise<void>
}

/**
 * Starts an API server in a test, with its state in a temporary directory. It does not listen unless `host` is given,
 * and deletes the content of deleted namespaces immediately. Close it at the end of the test. This corresponds to
 * controller-runtime's `envtest`.
 */
export async function startTestServer(options: ApiServerOptions = {}): Promise<TestServer> {
  const server = await startApiServer({ host: false, namespaceDeletionGraceSeconds: 0, ...options })
  return { server, client: server.client(), close: () => server.close() }
}
