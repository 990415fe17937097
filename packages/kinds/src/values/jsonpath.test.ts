import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileJsonPath, compileRelaxedJsonPath, JsonPathError } from './jsonpath.js'

const store = {
  name: 'store',
  books: [
    { title: 'A', price: 8.95, tags: ['x'] },
    { title: 'B', price: 12, isbn: '1' },
    { title: 'C', price: 5 },
  ],
  labels: { 'a.b/c': 'dotted', plain: '<p>' },
  nothing: null,
  flag: true,
  big: 1e21,
}

function print(template: string, data: unknown = store): string {
  return compileJsonPath(template).text(data)
}

test('JsonPath: evaluates paths, slices and unions', () => {
  const cases: [string, string][] = [
    ['hello {.name}!', 'hello store!'],
    ['{.books[0].title}', 'A'],
    ['{$.books[-1].title}', 'C'],
    ['{.books[*].title}', 'A B C'],
    ['{.books[0:2].title}', 'A B'],
    ['{.books[::2].title}', 'A C'],
    ['{.books[-2:].title}', 'B C'],
    ['{.books[1,2].title}', 'B C'],
    ["{.books[0]['title','price']}", 'A 8.95'],
    ["{['name']}", 'store'],
    ['{.labels.a\\.b/c}', 'dotted'],
    ["{.labels['a\\.b/c']}", 'dotted'],
    ['{..title}', 'A B C'],
    ['{.flag} {.nothing} {.big}', 'true null 1e+21'],
    ['{.labels}', '{"a.b/c":"dotted","plain":"\\u003cp\\u003e"}'],
    ['{.books[0].tags}', '["x"]'],
    ['{"a\\tb\\u0041"}{\'it\'}', 'a\tbAit'],
    ['{.books[0:0]}', ''],
  ]
  for (const [template, text] of cases) assert.equal(print(template), text, template)
})

test('JsonPath: evaluates filters', () => {
  const cases: [string, string][] = [
    ['{.books[?(@.price<10)].title}', 'A C'],
    ['{.books[?(@.price>=12)].title}', 'B'],
    ['{.books[?(@.title=="B")].price}', '12'],
    ['{.books[?(@.title!="B")].price}', '8.95 5'],
    ['{.books[?(@.isbn)].title}', 'B'],
    ["{.books[?(@.title=='A)')].title}", ''],
  ]
  for (const [template, text] of cases) assert.equal(print(template), text, template)
  assert.throws(() => print('{.books[?(@.isbn=="1")].title}'), { message: 'isbn is not found' })
  assert.equal(compileJsonPath('{.books[?(@.isbn=="1")].title}', { allowMissingKeys: true }).text(store), 'B')
  assert.throws(() => print('{.books[?(@.title==1)]}'), { message: 'incompatible types for comparison' })
  assert.throws(() => print('{.labels[?(@.a)]}'), /is not array or slice and cannot be filtered/)
})

test('JsonPath: ranges nest', () => {
  assert.equal(print('{range .books[*]}{.title}={.price}{"\\n"}{end}done'), 'A=8.95\nB=12\nC=5\ndone')
  const nested = {
    groups: [
      { n: 1, items: ['a', 'b'] },
      { n: 2, items: [] },
    ],
  }
  assert.equal(print('{range .groups[*]}{.n}:{range .items[*]}[{@}]{end};{end}', nested), '1:[a][b];2:;')
})

test('JsonPath: a missing key is an error unless allowed', () => {
  assert.throws(() => print('{.absent}'), { message: 'absent is not found' })
  const lenient = compileJsonPath('{.absent.deeper}', { allowMissingKeys: true })
  assert.equal(lenient.text(store), '')
  assert.equal(lenient.first(store), undefined)
  assert.throws(() => print('{.books[5]}'), { message: 'array index out of bounds: index 5, length 3' })
  assert.throws(() => print('{.name[0]}'), { message: 'string is not array or slice' })
})

test('JsonPath: does not read prototype properties', () => {
  const lenient = compileJsonPath('{.constructor}', { allowMissingKeys: true })
  assert.equal(lenient.first({}), undefined)
  assert.deepEqual(lenient.results({}), [[]])
})

test('compileRelaxedJsonPath: accepts three spellings of a path', () => {
  for (const path of ['.books[0].title', 'books[0].title', '{.books[0].title}', '{books[0].title}']) {
    assert.equal(compileRelaxedJsonPath(path).first(store), 'A', path)
  }
  assert.throws(() => compileRelaxedJsonPath('{.a}{.b}'), /^ParseError: unexpected path string, expected a/)
})

test('compileJsonPath: rejects invalid templates', () => {
  const cases: [string, string][] = [
    ['{.a', 'unclosed action'],
    ['{.a[0}', 'unterminated array'],
    ['{.a[x]}', 'invalid array index x'],
    ['{"a}', 'unterminated quoted string'],
    ['{.a[?(@.b}', 'unterminated filter'],
    ['{.a[?(@.b=1)]}', 'unrecognized filter operator ='],
    ['{end}', 'not in range, nothing to end'],
    ['{nope}', 'unrecognized identifier nope'],
    ['{....a}', 'invalid multiple recursive descent'],
    ['{*}', "unrecognized character in action: U+002A '*'"],
    ['{"\\q"}', 'unquote string "\\q" error invalid syntax'],
  ]
  for (const [template, message] of cases) assert.throws(() => compileJsonPath(template), { message }, template)
})

test('JsonPath: walks deep data', () => {
  let deep: unknown = { leaf: 'x' }
  for (let i = 0; i < 1000; i++) deep = { down: deep }
  assert.equal(print('{..leaf}', deep), 'x')
})

test('JsonPath: limits the values that a path visits', () => {
  let data: unknown = 'leaf'
  for (let depth = 0; depth < 900; depth++) data = { a: data, b: [1, 2, 3] }
  assert.throws(() => compileJsonPath('{..a..a..a}').results(data), /more than 50000 values/)
  assert.throws(() => compileJsonPath('{..a..b[*]}').results(data), JsonPathError)
  assert.deepEqual(compileJsonPath('{.b[*]}').results(data), [[1, 2, 3]])
})
