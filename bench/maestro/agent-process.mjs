// An agent on an embedded cluster, each in a process of its own: Orrery's for Orrery's server, Open Cluster
// Management's for the server in Go.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { installSpoke } from '../../packages/agent/dist/index.js'
import { AGENT_NAMESPACE } from '../../packages/api/dist/index.js'
import { clientFrom } from '../../packages/kube/dist/index.js'

import { startOrreryAgent } from '../../tests/dist/interop/maestro/orrery-agent.js'
import { startGoWorkAgent } from '../../tests/dist/interop/maestro/work-agent.js'
import { startServer } from '../../tests/dist/support/server.js'

export async function agentOn({ name, server, scope }, consumer) {
  const { kubeconfig, dataDirectory } = await startServer(scope)
  const client = await clientFrom(kubeconfig)
  await installSpoke(client, AGENT_NAMESPACE)
  client.close()
  const directory = join(dataDirectory, 'agent')
  mkdirSync(directory)
  const start = name === 'go' ? startGoWorkAgent : startOrreryAgent
  await start(scope, { kubeconfig, directory }, consumer, server.agents)
}
