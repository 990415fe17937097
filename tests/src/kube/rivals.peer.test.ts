import assert from 'node:assert/strict'
import test from 'node:test'
import { clientFrom, KubeClient } from '@orrery/kube'
import type { Transport } from '@orrery/kube/client'
import { LeaderElection } from '@orrery/kube/election'
import { goProgram, runProgram } from '../clients/program.js'
import { startServer } from '../support/server.js'

const timing = { leaseDuration: 2_000, renewDeadline: 1_500, retryPeriod: 200 }

test('LeaderElection: takes part with candidates of client-go', async (t) => {
  const server = await startServer(t)
  const connected = await clientFrom(server.kubeconfig)
  t.after(() => connected.close())
  let isCut = false
  const transport: Transport = {
    request: (request) => (isCut ? Promise.reject(new Error('cut off')) : connected.transport.request(request)),
  }
  const lease = { namespace: 'default', name: 'rivals' }
  const election = new LeaderElection({ client: new KubeClient(transport), lease, identity: 'orrery', timing })
  const never = new AbortController().signal
  let leading: Promise<AbortSignal> | undefined
  await runProgram(t, goProgram('current', 'rivals'), server.kubeconfig, {
    async lead() {
      await election.whenLeader(never)
    },
    release: () => election.release(),
    async stand() {
      leading = election.whenLeader(never)
    },
    async win() {
      assert.ok(!(await leading)?.aborted)
    },
    async cut() {
      isCut = true
    },
    async lost() {
      assert.ok((await leading)?.aborted)
      assert.ok(!election.isLeader)
    },
  })
})
