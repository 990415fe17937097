import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HUB_WEBHOOKS } from '@orrery/api'
import { type AdmissionRule, admissionRules } from '@orrery/hub'
import { resourceName } from '@orrery/kinds/values'
import { webhookConfigurations } from './configurations.js'
import { reviewPath } from './paths.js'
import { webhookRoutes } from './routes.js'

const phaseOf = (rule: AdmissionRule) => ('mutate' in rule ? 'mutate' : 'validate')
const rules = admissionRules().flatMap((rule) =>
  ['', ...(rule.subresources ?? [])].map((subresource) => ({
    id: `${phaseOf(rule)} ${resourceName(rule.kind)}${subresource && `/${subresource}`}`,
    path: reviewPath(phaseOf(rule), rule.kind),
  })),
)

test('HUB_WEBHOOKS: has one webhook for every admission rule, and no other', () => {
  const webhooks = HUB_WEBHOOKS.flatMap(({ phase, kind, subresources }) =>
    ['', ...subresources.map((subresource) => `/${subresource}`)].map(
      (part) => `${phase} ${resourceName(kind)}${part}`,
    ),
  )
  assert.deepEqual(webhooks.toSorted(), rules.map(({ id }) => id).toSorted())
  assert.equal(new Set(webhooks).size, webhooks.length)
})

test('webhookConfigurations: lead every registered resource to a path that the server answers with its rule', () => {
  const { mutating, validating } = webhookConfigurations('', { url: 'https://hub.example.com:9443' })
  const registered = [
    ...mutating.map((configuration) => ({ phase: 'mutate', ...configuration })),
    ...validating.map((configuration) => ({ phase: 'validate', ...configuration })),
  ].flatMap(({ phase, webhooks = [] }) =>
    webhooks.flatMap(({ clientConfig, rules: resources = [] }) =>
      resources.flatMap(({ apiGroups = [], resources: plurals = [], operations }) => {
        assert.deepEqual(operations, ['CREATE', 'UPDATE'])
        const path = new URL(clientConfig.url ?? '').pathname
        return plurals.map((asked) => {
          const [plural, ...subresource] = asked.split('/')
          return { id: `${phase} ${[`${plural}.${apiGroups.join()}`, ...subresource].join('/')}`, path }
        })
      }),
    ),
  )
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)
  assert.deepEqual(registered.sort(byId), rules.toSorted(byId))
  const routes = webhookRoutes({}, {} as never)
  for (const { path } of registered) assert.ok(routes.has(path), path)
})
