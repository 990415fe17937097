import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Served } from '../fleet-parts.js'
import { OcmProgram } from '../ocm.js'
import { type AgentsPort, CLI } from './servers.js'
import { agentConfig } from './work-agent.js'

/** Starts Orrery's agent with the same configuration file as Open Cluster Management's. */
export async function startOrreryAgent(
  t: Pick<TestContext, 'after'>,
  spoke: Pick<Served, 'directory' | 'kubeconfig'>,
  consumer: string,
  port: AgentsPort,
): Promise<OcmProgram> {
  const file = join(spoke.directory, `orrery-${port.transport}.yaml`)
  await writeFile(file, agentConfig(consumer, port))
  const cluster = [`--kubeconfig=${spoke.kubeconfig}`, `--cluster-name=${consumer}`, '--no-leader-elect']
  const works = [`--transport=${port.transport}`, `--transport-config=${file}`]
  return OcmProgram.run(t, [process.execPath, CLI, 'agent', ...cluster, ...works])
}
