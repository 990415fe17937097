import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { MaestroError } from '../errors.js'
import { BUNDLE_COLUMNS, CONSUMER_COLUMNS } from './columns.js'
import { orderOf } from './order.js'
import { searchCondition } from './search.js'

const bundles = (search: string) => searchCondition(search, BUNDLE_COLUMNS)

function refusal(search: string, columns = BUNDLE_COLUMNS): string {
  try {
    searchCondition(search, columns)
  } catch (error) {
    assert.ok(error instanceof MaestroError)
    assert.deepEqual([error.id, error.httpStatus], [21, 400])
    return error.reason
  }
  assert.fail(`not refused: ${search}`)
}

const CONDITIONS: readonly [search: string, text: string, values: readonly string[]][] = [
  ["name = 'a'", '(name = $1::text)', ['a']],
  ["NAME <> 'it''s'", '(name <> $1::text)', ["it's"]],
  ["resources.name != 'a'", '(name <> $1::text)', ['a']],
  ['version >= 2', '(version >= $1::numeric)', ['2']],
  ["version = '2'", '(version = $1::numeric)', ['2']],
  ['version < 2Ki', '(version < $1::numeric)', ['2048']],
  ['version = -1.5e3', '(version = $1::numeric)', ['-1500']],
  ['name = 5', '(name = $1::text)', ['5']],
  ["name NOT LIKE 'a%'", '(name NOT LIKE $1::text)', ['a%']],
  ["name ilike 'a%'", '(name ILIKE $1::text)', ['a%']],
  ['deleted_at IS NULL', '(deleted_at IS NULL)', []],
  ['deleted_at is not null', '(deleted_at IS NOT NULL)', []],
  ["name IS 'a'", '(name IS NOT DISTINCT FROM $1::text)', ['a']],
  ['version NOT BETWEEN 1 AND 3', '(version NOT BETWEEN $1::numeric AND $2::numeric)', ['1', '3']],
  ["name in ('a','b')", '(name IN ($1::text, $2::text))', ['a', 'b']],
  ["created_at > '2026-01-31'", '(created_at > $1::timestamptz)', ['2026-01-31T00:00:00.000Z']],
  ["created_at > '2026-01-31T00:00:00.123456Z'", '(created_at > $1::timestamptz)', ['2026-01-31T00:00:00.123456Z']],
  ["NOT name = 'a' AND source = 's'", '((NOT (name = $1::text)) AND (source = $2::text))', ['a', 's']],
  [
    "name='a' or name='b' and source='s'",
    '((name = $1::text) OR ((name = $2::text) AND (source = $3::text)))',
    ['a', 'b', 's'],
  ],
  ["(name='a')", '(name = $1::text)', ['a']],
  ['(version + 1) * 2 > 6', '(((version + $1::numeric) * $2::numeric) > $3::numeric)', ['1', '2', '6']],
  ['version-1 = 0', '((version - $1::numeric) = $2::numeric)', ['1', '0']],
  ['name = id', '(name = id)', []],
  ['"name" = \'a\'', '(name = $1::text)', ['a']],
  // What the Go client of Maestro sends.
  [
    `source='S' and consumer_name='C' and payload->'metadata'->'labels'@>'{"k":"v"}'`,
    `((source = $1::text) AND (consumer_name = $2::text) AND ((metadata -> 'labels') @> $3::jsonb))`,
    ['S', 'C', '{"k":"v"}'],
  ],
  [`payload->'metadata'->'labels'->>'k'<>'v'`, `(((metadata -> 'labels') ->> $1::text) <> $2::text)`, ['k', 'v']],
  [
    `payload->'metadata'->'labels'->>'k'in('a','b')`,
    `(((metadata -> 'labels') ->> $1::text) IN ($2::text, $3::text))`,
    ['k', 'a', 'b'],
  ],
  [
    `payload->'metadata'->'labels'->>'k'not in('a','b')`,
    `(((metadata -> 'labels') ->> $1::text) NOT IN ($2::text, $3::text))`,
    ['k', 'a', 'b'],
  ],
  [`payload->'metadata'->'labels'->>'k'<>null`, `(((metadata -> 'labels') ->> $1::text) IS NOT NULL)`, ['k']],
  [
    `payload -> 'data' -> 'manifests' @> '[{"metadata":{"name":"it\\'s"}}]'`,
    '(manifests::jsonb @> $1::jsonb)',
    [`[{"metadata":{"name":"it's"}}]`],
  ],
  [
    `payload->'metadata'->>'name' = a-b.c and version in (1, 2)`,
    '(((metadata ->> $1::text) = $2::text) AND (version IN ($3::numeric, $4::numeric)))',
    ['name', 'a-b.c', '1', '2'],
  ],
  [`status->'data'->>'conditions' = ''`, `((status_conditions::jsonb #>> '{}') = $1::text)`, ['']],
]

for (const [search, text, values] of CONDITIONS) {
  test(`searchCondition: translates ${search}`, () => {
    const { documents: _, ...sql } = bundles(search)
    assert.deepEqual(sql, { text, values })
  })
}

test('searchCondition: finds consumers by labels', () => {
  const { text, values } = searchCondition("labels->>'region'='eu'", CONSUMER_COLUMNS)
  assert.deepEqual([text, values], ['((labels ->> $1::text) = $2::text)', ['region', 'eu']])
})

const REFUSALS: readonly [search: string, reason: RegExp][] = [
  ["nme = 'a'", /^Failed to parse search query: nme = 'a': .*invalid column name: 'nme', valid values are: \[id name /],
  ["labels->>'a' = 'b'", /^failed to parse the search query: .*invalid column name: 'labels'/],
  ["owner.name = 'a'", /invalid column name: 'owner\.name'/],
  ['name =', /unexpected end/],
  ["name = 'a", /\[8\] .*unexpected "'a"/],
  ["name = 'a' name", /\[12\] .*unexpected token `name`/],
  ['name', /\[1\] .*expected a condition/],
  ["(name = 'a') = 'b'", /expected a column or a value/],
  ["name ~= 'a'", /unexpected token `~=`/],
  ["name = 'a'; drop table resources", /unexpected "; drop/],
  ['name in ()', /unexpected token `\)`/],
  ["version = 'two'", /"two" is not a number/],
  ["created_at > 'soon'", /"soon" is not a time/],
  ["name + 1 = 'a'", /arithmetic needs numbers/],
  ["version like '1%'", /LIKE needs a text/],
  ['version = name', /cannot compare a integer with a text/],
  ["payload = 'a'", /can only be compared with @>/],
  ["payload->'metadata'@>'{'", /is not valid JSON/],
  ["name->>'a' = 'b'", /column 'name' is not JSON/],
  ["name = 'a\0'", /NUL/],
  [`${'('.repeat(500)}name = 'a'${')'.repeat(500)}`, /more than 100 levels/],
  [`${'not '.repeat(500)}name = 'a'`, /more than 100 levels/],
  [`version${' + 1'.repeat(500)} = 1`, /more than 100 arithmetic operators/],
  [`name in (${"'a',".repeat(66_000)}'a')`, /more than 30000 values/],
  [`${"name = 'a' or ".repeat(66_000)}name = 'a'`, /more than 500 conditions/],
  [`${'payload is null or '.repeat(100)}payload is null`, /more than 20 conditions on JSON documents/],
  [`payload@>'${'['.repeat(2_000)}${']'.repeat(2_000)}'`, /is not valid JSON/],
  [`payload${"->'a'".repeat(66_000)}->>'a' = 'a'`, /more than 30000 values/],
]

for (const [search, reason] of REFUSALS) {
  test(`searchCondition: refuses ${JSON.stringify(search.slice(0, 40))}`, () => {
    assert.match(refusal(search), reason)
  })
}

test('searchCondition: accepts ten joins in a search of JSON documents, not eleven', () => {
  const term = "payload->'metadata'->>'name'='a'"
  assert.equal(bundles(Array(11).fill(term).join(' or ')).values.length, 22)
  assert.match(refusal(Array(12).fill(term).join(' or ')), /maximum number of permitted joins \(10\) exceeded/)
})

test('searchCondition: tells what has to be read, and which rows can match', () => {
  const labels = `payload->'metadata'->'labels'@>'{"k":"v"}'`
  const manifests = `payload->'data'->'manifests'@>'[{"kind":"Job"}]'`
  assert.equal(bundles("name = 'a'").documents, undefined)
  assert.deepEqual(bundles(labels).documents, { reads: 'metadata', narrowed: undefined })
  assert.deepEqual(bundles(`source='s' and ${labels} and name<>'a'`).documents, {
    reads: 'metadata',
    narrowed: { text: '((source = $1::text) AND (name <> $2::text))', values: ['s', 'a'] },
  })
  assert.deepEqual(bundles(`source='s' or ${manifests}`).documents, { reads: 'all', narrowed: undefined })
  assert.equal(bundles(`not (${labels} and not ${manifests})`).documents?.reads, 'all')
  assert.equal(bundles('payload is null').documents?.reads, 'all')
})

test('searchCondition: accepts 500 conditions in a tree search', () => {
  assert.equal(bundles(Array(500).fill("name='a'").join(' or ')).values.length, 500)
})

/** All that the text of a condition may have: SQL of this program and parameters. */
const SAFE = new RegExp(
  `^(?:[(), ]|\\$\\d+::(?:text|numeric|timestamptz|jsonb)|AND|OR|NOT|IS|NULL|IN|LIKE|ILIKE|BETWEEN|DISTINCT|FROM|->>?|@>|#>>|'\\{\\}'|[<>=]+|[-+*/%]|${[
    'id',
    'name',
    'source',
    'consumer_name',
    'version',
    'created_at',
    'updated_at',
    'deleted_at',
    'metadata',
    'manifests::jsonb',
    "'labels'",
  ].join('|')})*$`,
)

/** Arbitrary searches from pieces of both grammars and of attacks on SQL. */
const piece = fc.oneof(
  fc.constantFrom(
    ...["'", "''", "\\'", '"', ';', '--', '/*', '(', ')', ',', '->', '->>', '@>', '=', '<>', 'and', 'or', 'not', 'in'],
    ...['like', 'is', 'null', 'between', 'name', 'id', 'version', 'payload', "'metadata'", '1', '$1', '+', '-', '%'],
    ...['1=1', 'pg_sleep(10)', 'select', 'union', 'drop table resources', '\\', '\0', '`', '[', ']', '::text', 'E'],
  ),
  fc.string({ maxLength: 5 }),
)

test('searchCondition: no search gets text of its own into the SQL', () => {
  const searches = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(' '))
  void fc.assert(
    fc.property(searches, (search) => {
      let condition: ReturnType<typeof bundles>
      try {
        condition = bundles(search)
      } catch (error) {
        assert.ok(error instanceof MaestroError, String(error))
        return
      }
      assert.match(condition.text, SAFE)
    }),
    { numRuns: 3_000 },
  )
})

test('searchCondition: every text is a parameter, unchanged', () => {
  const texts = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
  void fc.assert(
    fc.property(texts, (text) => {
      const { values } = bundles(`name = '${text.replaceAll("'", "''")}'`)
      assert.deepEqual(values, [text])
    }),
  )
  void fc.assert(
    fc.property(
      texts.filter((text) => !text.includes('\\')),
      (text) => {
        const { values } = bundles(`payload->'metadata'->>'name' = '${text.replaceAll("'", "\\'")}'`)
        assert.deepEqual(values, ['name', text])
      },
    ),
  )
})

test('orderOf: sorts by the columns, then by id', () => {
  assert.equal(orderOf('', BUNDLE_COLUMNS), 'id')
  assert.equal(orderOf('created_at desc, name', BUNDLE_COLUMNS), 'created_at DESC, name ASC, id')
})

test('orderOf: refuses what is not a column and a direction, and names the columns', () => {
  for (const [orderBy, reason] of [
    ['name sideways', /^bad order value 'name sideways'$/],
    ['nme', /^bad order value 'nme': invalid column name: 'nme', valid values are: \[id /],
    ['payload', /is JSON and has no order/],
    ['name; drop table resources', /bad order value/],
  ] as const) {
    assert.throws(() => orderOf(orderBy, BUNDLE_COLUMNS), { id: 21, httpStatus: 400, reason })
  }
})
