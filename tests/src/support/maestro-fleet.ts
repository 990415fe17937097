import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type FleetPlan, fleetDirectory } from '@orrery/fleet'
import type { KubeClient } from '@orrery/kube'
import { requestToken } from '@orrery/kube/credentials'
import { createEmptyDatabase } from './embedded-database.js'
import { fleetDirectory as newFleetDirectory } from './fleet.js'

/** The directory of a fleet with an empty database for its Maestro server. The fleet is stopped after the test. */
export async function maestroFleetDirectory(t: Pick<TestContext, 'after'>): Promise<string> {
  const root = await newFleetDirectory(t)
  await createEmptyDatabase(join(fleetDirectory(root).maestro, 'data'))
  return root
}

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
