import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FleetPlan, fleetDirectory } from '@orrery/fleet'
import type { KubeClient } from '@orrery/kube'
import { requestToken } from '@orrery/kube/credentials'

/** How clients reach the Maestro server of a fleet in a directory. */
export async function maestroOf(root: string) {
  const files = fleetDirectory(root)
  const { maestro } = JSON.parse(await readFile(files.plan, 'utf8')) as FleetPlan
  assert.ok(maestro)
  return {
    apiUrl: `https://127.0.0.1:${maestro.rest}`,
    grpcUrl: `grpcs://localhost:${maestro.sources}`,
    agentsUrl: `localhost:${maestro.agents}`,
    caFile: join(files.maestro, 'tls', 'ca.crt'),
  }
}

/** A token of the service account of adapters. */
export function adapterToken(hub: KubeClient): Promise<string> {
  return requestToken(hub, { namespace: 'maestro', name: 'maestro-adapter-sa' })
}
