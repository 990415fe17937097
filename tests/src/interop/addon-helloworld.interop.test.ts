import { test } from 'node:test'
import { exampleAddOn, upstreamHelloworld } from './add-ons.js'
import { runHelloworld } from './helloworld.js'
import { startOcmHub, startOldOcmHub, startOrreryHub } from './hubs.js'
import { joinWithOcm, joinWithOrrery } from './joins.js'

const CLUSTER = 'c1'

const ADD_ONS = { upstream: upstreamHelloworld, example: () => exampleAddOn('helloworld') }
const HUBS = { Orrery: startOrreryHub, OCM: startOcmHub, 'OCM (v1alpha1)': startOldOcmHub }
const AGENTS = { Orrery: joinWithOrrery, OCM: joinWithOcm }

/** The add-on of upstream needs v1beta1. */
const COMBINATIONS: readonly [keyof typeof ADD_ONS, keyof typeof HUBS, keyof typeof AGENTS, 'token'?][] = [
  ['upstream', 'Orrery', 'Orrery'],
  ['upstream', 'Orrery', 'OCM'],
  ['upstream', 'OCM', 'Orrery'],
  ['example', 'OCM', 'OCM'],
  ['example', 'OCM', 'Orrery'],
  ['example', 'Orrery', 'OCM'],
  ['example', 'OCM (v1alpha1)', 'OCM'],
  ['example', 'OCM (v1alpha1)', 'Orrery'],
  ['upstream', 'Orrery', 'Orrery', 'token'],
  ['upstream', 'OCM', 'Orrery', 'token'],
  ['example', 'Orrery', 'OCM', 'token'],
  ['example', 'OCM', 'OCM', 'token'],
  ['example', 'OCM', 'Orrery', 'token'],
]

for (const [which, hubOf, agentOf, driver = 'csr'] of COMBINATIONS) {
  test(`interop: the ${which} helloworld with a hub of ${hubOf}, an agent of ${agentOf} and the driver ${driver}`, async (t) => {
    const addOn = await ADD_ONS[which]()
    const hub = await HUBS[hubOf](t, addOn.programs)
    const managed = await AGENTS[agentOf](t, hub, CLUSTER, addOn.programs, { driver })
    const controllers = await addOn.install(t, hub)
    await runHelloworld({
      hub: hub.client,
      managed: managed.client,
      cluster: CLUSTER,
      cleansUp: addOn.cleansUp,
      driver,
      programs: [...hub.programs, ...managed.programs, ...controllers],
    })
  })
}
