import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcome } from '../testing.fixture.js'
import { type AuthorizerQuestion, authorizerType, CelAuthorizer } from './authorizer.js'
import { allLibraries } from './index.js'

type Table = readonly (readonly [string, unknown])[]

function cases(table: Table): void {
  for (const [source, expected] of table) assert.deepEqual(outcome(source), expected, source)
}

test('library: conversions', () => {
  cases([
    ['string(1.0)', '1'],
    ['string(1.5e-7)', '1.5e-07'],
    ['string(duration("90m"))', '5400s'],
    ['string(duration("1ns"))', '0.000000001s'],
    ['string(timestamp("2020-01-01T00:00:00.5Z"))', '2020-01-01T00:00:00.5Z'],
    ['string(b"abc")', 'abc'],
    ['duration(x.a)', "error: type conversion error from 'int' to 'google.protobuf.Duration'"],
    ['bytes("é").size()', 2],
    ['int(3.99)', 3],
    ['int(-3.99)', -3],
    ['int("12")', 12],
    ['int(x.s)', "error: type conversion error from 'string' to 'int'"],
    ['int(x.d * 1e300)', 'error: integer overflow'],
    ['uint(-x.a)', 'error: unsigned integer overflow'],
    ['double("1.5e3")', 1500],
    ['bool("T") && !bool("0")', true],
    ['int(timestamp("1970-01-01T00:01:00Z"))', 60],
    ['int(duration("1s"))', 1_000_000_000],
  ])
})

test('library: times and durations', () => {
  const at = 'timestamp("2020-02-29T12:34:56.789Z")'
  cases([
    [`${at}.getFullYear()`, 2020],
    [`${at}.getMonth()`, 1],
    [`${at}.getDate()`, 29],
    [`${at}.getDayOfMonth()`, 28],
    [`${at}.getDayOfWeek()`, 6],
    [`${at}.getDayOfYear()`, 59],
    [`${at}.getHours("America/New_York")`, 7],
    [`${at}.getMinutes("-02:30")`, 4],
    [`${at}.getMilliseconds()`, 789],
    [`${at}.getHours("Nowhere")`, 'error: unknown time zone Nowhere'],
    ['duration("1.5s").getMilliseconds()', 1500],
    ['timestamp("9999-12-31T23:59:59Z") + duration("1s")', 'error: timestamp overflow'],
    ['timestamp("2020-01-02T00:00:00Z") - timestamp("2020-01-01T00:00:00Z")', '24h0m0s'],
  ])
})

test('library: strings', () => {
  cases([
    ['"héllo😀".size()', 6],
    ['"héllo😀x".indexOf("x")', 6],
    ['"héllo😀x".substring(5, 6)', '😀'],
    ['"abc".charAt(3)', ''],
    ['"abc".charAt(4)', 'error: index out of range: 4'],
    ['"abc".substring(2, 1)', 'error: invalid substring range. start: 2, end: 1'],
    ['"abcabc".lastIndexOf("b", 3)', 1],
    ['"abc".indexOf("c", -1)', 'error: index out of range: -1'],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['"abc".split("")', ['a', 'b', 'c']],
    ['"aaa".replace("a", "b", 2)', 'bba'],
    ['"ab".replace("", "-")', '-a-b-'],
    ['"ÄBC".lowerAscii()', 'Äbc'],
    ['"  a\\t ".trim()', 'a'],
    ['["a", "b"].join("-")', 'a-b'],
    ['strings.quote("a\\n\\"b\\"")', '"a\\n\\"b\\""'],
    ['"%s %d %.2f %x %b %e".format(["a", 1, 1234.5, 255, 5, 0.00012])', 'a 1 1,234.50 ff 101 1.200000×10⁻⁰⁴'],
    ['"%s".format([{"b": [1.5, "x"], "a": null}])', '{"a":null, "b":[1.500000, "x"]}'],
    [
      '"%d".format([x.s])',
      'error: error during formatting: decimal clause can only be used on integers, was given string',
    ],
  ])
})

test('library: patterns', () => {
  cases([
    ['"abc".matches("^a.c$")', true],
    ['"abc123".find("[0-9]+")', '123'],
    ['"a1b22".findAll("[0-9]+")', ['1', '22']],
    ['"a1b22".findAll("[0-9]+", 1)', ['1']],
    ['"abc".findAll("x*")', ['', '', '', '']],
    ['x.s.matches(x.s + "(")', 'error: error parsing regexp: missing closing ): `str(`'],
    ['"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$")', false],
  ])
})

test('library: lists and sets', () => {
  cases([
    ['[3, 1, 2].sort()', [1, 2, 3]],
    ['x.items.sortBy(i, -i.v).map(i, i.name)', ['q', 'p']],
    ['[1, 2, 1].distinct()', [1, 2]],
    ['[1, 2, 3].reverse()', [3, 2, 1]],
    ['[1, 2, 3].slice(1, 3)', [2, 3]],
    ['[1].slice(0, 5)', 'error: cannot slice(0, 5), list is length 1'],
    ['[[1], [2, 3]].flatten()', [1, 2, 3]],
    ['lists.range(3)', [0, 1, 2]],
    ['[1, 3, 2].isSorted()', false],
    ['[1, 3, 2].max() + [1, 3, 2].min() + [1, 3, 2].sum()', 10],
    ['x.a.max()', 'error: no such overload: max'],
    ['[1].filter(n, false).max()', 'error: max called on empty list'],
    ['[duration("1s"), duration("2s")].sum()', '3s'],
    ['[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1)', 2],
    ['x.list.includes(2)', true],
    ['sets.contains([1, 2, 3], [1, 2])', true],
    ['sets.equivalent([[1], [2]], [[2], [1]])', true],
    ['sets.intersects([1], [2])', false],
  ])
})

test('library: optional values', () => {
  cases([
    ['x.?map.?k.orValue("none")', 'v'],
    ['x.?nope.?k.orValue("none")', 'none'],
    ['x.list[?5].hasValue()', false],
    ['optional.none().value()', 'error: optional.none() dereference'],
    ['optional.of(1).or(optional.of(1 / 0)).value()', 1],
    ['optional.of(3).optMap(v, v + 1).value()', 4],
    ['optional.of(3).optFlatMap(v, optional.none()).hasValue()', false],
    ['optional.ofNonZeroValue("").hasValue()', false],
    ['[?x.?nope, ?x.?a]', [1]],
    ['{?"a": x.?nope, "b": x.a}', { b: 1 }],
    ['[1, 2].first().value() + [1, 2].last().value()', 3],
    ['optional.unwrap([optional.of(1), optional.none()])', [1]],
  ])
})

test('library: quantities', () => {
  cases([
    ['quantity("50Mi") == quantity("52428800")', true],
    ['quantity("1.5").compareTo(quantity("1500m"))', 0],
    ['quantity("100k").add(quantity("1")).sub(5).asInteger()', 99996],
    ['quantity("1500m").asApproximateFloat()', 1.5],
    ['quantity("1500m").asInteger()', 'error: cannot convert value to integer'],
    ['sign(quantity("-5"))', -1],
    ['isQuantity("1.1i")', false],
    [
      'quantity("x")',
      "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])
})

test('library: IP addresses and networks', () => {
  cases([
    ['string(ip("2001:DB8::0001"))', '2001:db8::1'],
    ['string(ip("1:0:0:2:0:0:0:3"))', '1:0:0:2::3'],
    ['ip.isCanonical("2001:DB8::1")', false],
    ['ip("::1").isLoopback() && ip("fe80::1").isLinkLocalUnicast() && ip("ff12::1").isLinkLocalMulticast()', true],
    ['ip("8.8.8.8").isGlobalUnicast() && !ip("255.255.255.255").isGlobalUnicast()', true],
    ['cidr("10.0.0.0/8").containsIP("10.2.3.4")', true],
    ['cidr("10.0.0.0/8").containsCIDR("10.2.0.0/16")', true],
    ['string(cidr("10.1.2.3/8").masked())', '10.0.0.0/8'],
    [
      'ip("1.2.3.04")',
      'error: IP Address "1.2.3.04" parse error during conversion from string: ParseAddr("1.2.3.04"): IPv4 field has octet with leading zero',
    ],
    ['ip("::ffff:1.2.3.4")', 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
    ['ip("fe80::1%eth0")', 'error: IP address "fe80::1%eth0" with zone value is not allowed'],
    ['isCIDR("1.2.3.4/33")', false],
    ['type(ip("1.2.3.4")) == net.IP', true],
  ])
})

test('library: semantic versions', () => {
  cases([
    ['semver("1.2.3-rc.1").isLessThan(semver("1.2.3"))', true],
    ['semver("1.0.0-alpha.1").compareTo(semver("1.0.0-alpha.beta"))', -1],
    ['semver("1.10.0").isGreaterThan(semver("1.9.9"))', true],
    ['semver("v01.2", true).minor()', 2],
    ['isSemver("1.2") || isSemver("v1.2")', false],
    ['semver("01.2.3")', 'error: Major number must not contain leading zeroes "01"'],
    ['semver("1.2")', 'error: No Major.Minor.Patch elements found'],
  ])
})

test('library: URLs', () => {
  cases([
    ['url("https://a.b:80/c%2Fd?e=f&e=g").getEscapedPath()', '/c%2Fd'],
    ['url("https://[::1]:80/").getHostname() + url("https://[::1]:80/").getPort()', '::180'],
    ['url("https://a/?e=f&e=g+h").getQuery()["e"]', ['f', 'g h']],
    ['isURL("/a") && !isURL("../a")', true],
    ['url("foo")', 'error: URL parse error during conversion from string: parse "foo": invalid URI for request'],
  ])
})

test('library: named formats', () => {
  cases([
    ['format.dns1123Label().validate("a").hasValue()', false],
    ['format.dns1123LabelPrefix().validate("a-").hasValue()', false],
    ['format.named("uuid").value().validate("x").value()', ['does not match the UUID format']],
    ['format.named("nope").hasValue()', false],
    ['format.byte().validate("aGk=").hasValue() || format.date().validate("2020-02-29").hasValue()', false],
  ])
})

test('library: authorization checks call the authorizer', () => {
  const asked: AuthorizerQuestion[] = []
  const authorizer = new CelAuthorizer((question) => {
    asked.push(question)
    return { allowed: question.verb === 'get', reason: 'because' }
  })
  const ask = (source: string) =>
    outcome(source, { variables: { authorizer: authorizerType }, bindings: { authorizer } })
  const check = 'authorizer.group("apps").resource("deployments").namespace("ns").name("web").check("get")'
  assert.equal(ask(`${check}.allowed()`), true)
  assert.equal(ask(`${check}.reason()`), 'because')
  assert.deepEqual(asked[0], { group: 'apps', resource: 'deployments', namespace: 'ns', name: 'web', verb: 'get' })
  assert.equal(ask('authorizer.serviceAccount("ns", "sa").path("/healthz").check("post").allowed()'), false)
  assert.deepEqual(asked.at(-1), { serviceAccount: { namespace: 'ns', name: 'sa' }, path: '/healthz', verb: 'post' })
  assert.equal(ask('authorizer.path("")'), 'error: path must not be empty')
})

test('library: allLibraries has further functions', () => {
  const more: Table = [
    ['math.greatest([1, 3, 2])', 3],
    ['math.least(1, 2)', 1],
    ['math.abs(-9223372036854775808)', 'error: integer overflow'],
    ['math.round(-1.5)', -2],
    ['math.bitShiftRight(-1, 60)', 15],
    ['math.bitNot(0)', -1],
    ['"abc".reverse()', 'cba'],
    ['cel.bind(a, x.a + 1, a * a)', 4],
    ['cel.bind(a, 1 / 0, true)', true],
  ]
  for (const [source, expected] of more) {
    assert.deepEqual(outcome(source, { libraries: allLibraries }), expected, source)
  }
  assert.match(String(outcome('math.abs(1)')), /undeclared reference to 'math'/)
})

test('library: the plain format accepts any number and is the same everywhere', () => {
  const cases: Table = [
    ['"%s %s".format([1.0, -0.0])', '1 -0'],
    ['"%s %d".format([1e21, 1.5e-7])', '1000000000000000000000 0.00000015'],
    ['"%d %d".format([x.d, 3u])', '1.5 3'],
    ['"%.2f %f".format([x.a, 2.5])', '1.00 2.500000'],
    ['"%.0f %.0f %.0f %.1f".format([0.5, 1.5, 2.5, 0.25])', '0 2 2 0.2'],
    ['"%.2f %.2f".format([1.015, 1234567.0])', '1.01 1234567.00'],
    ['"%.1f %.0f".format([-1e22, -0.2])', '-10000000000000000000000.0 -0'],
    ['"%e %.0e %.1e".format([x.a, 2.5, -1e100])', '1.000000e+00 2e+00 -1.0e+100'],
    ['"%s".format([{"b": [x.d, "t", null], "a": b"z"}])', '{a: z, b: [1.5, t, null]}'],
    ['"%s %s".format([duration("90m"), type(1)])', '5400s int'],
    ['"%s %s %f".format([0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0])', 'NaN Infinity -Infinity'],
    ['"%x %X %b %o".format([255, "hi", true, 8])', 'ff 6869 1 10'],
    [
      '"%d".format([x.s])',
      'error: error during formatting: decimal clause can only be used on ints, uints, and doubles, was given string',
    ],
    ['"%f".format(["1"])', /fixed-point clause can only be used on ints, uints, and doubles, was given string$/],
  ]
  for (const [source, expected] of cases) {
    const result = outcome(source, { libraries: allLibraries })
    if (expected instanceof RegExp) assert.match(String(result), expected, source)
    else assert.deepEqual(result, expected, source)
  }
})

test('compile: without strict, types may be mixed, and errors occur at run time', () => {
  const loosely = (source: string) => outcome(source, { libraries: allLibraries, strict: false })
  assert.equal(loosely('x.s in ["str", 1, true]'), true)
  assert.equal(loosely('size({"a": 1, "b": "c"})'), 2)
  assert.equal(loosely('x.a == 1 || int("a") == 1'), true)
  assert.equal(loosely('x.a == 1 || size({[]: 1}) == 1'), true)
  assert.equal(loosely('x.a == 1 || duration("nonsense") == duration("1s")'), true)
  assert.match(String(loosely('x.a == 2 || x.s.matches("(")')), /^error: /)
})
