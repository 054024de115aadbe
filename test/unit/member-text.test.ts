import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { elementTexts, memberText, memberTexts } from '../../src/domain/text/member-text.ts';

describe('the text of a member', () => {
  it.each([
    ['{"a": 1.50, "b" :\t{"x":[1, 2], "y":"}\\"]"} , "c":0}', 'b', '{"x":[1, 2], "y":"}\\"]"}'],
    ['{"n":12345678901234567890.10}', 'n', '12345678901234567890.10'],
    ['{"a":1,"a": 2 }', 'a', '2'],
    ['{"\\u0061":true}', 'a', 'true'],
    ['{"x":{"a":1}}', 'a', null],
    ['{"x":"\\"a\\":1"}', 'a', null],
    ['[{"a":1}]', 'a', null],
    ['["a",1]', 'a', null],
    ['"a"', 'a', null],
    [' { } ', 'a', null],
  ])('of %s, %s, is %s', (json, name, text) => {
    expect(memberText(json, name)).toBe(text);
  });

  it('parses to what JSON.parse gives the member, whatever the JSON and its spaces', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', ' \r\n');
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, (object, indent) => {
      const json = JSON.stringify(object, null, indent);
      for (const [name, value] of Object.entries(JSON.parse(json)))
        expect(JSON.parse(memberText(json, name) ?? '')).toEqual(value);
      expect(memberText(json, 'a name that nothing has')).toBeNull();
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('the texts of the elements', () => {
  it.each([
    ['[1.50, {"a":[1, 2]} ,"],"]', ['1.50', '{"a":[1, 2]}', '"],"']],
    [' [ 12345678901234567890.10 ] ', ['12345678901234567890.10']],
    ['[ ]', []],
    ['{"a":[1]}', null],
    ['"[1]"', null],
  ])('of %s are %j', (json, texts) => {
    expect(elementTexts(json)).toEqual(texts);
  });

  it('and of the members parse to what JSON.parse gives, whatever the JSON and its spaces', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', ' \r\n');
    const property = fc.property(fc.array(fc.jsonValue()), spaces, (array, indent) => {
      const json = JSON.stringify(array, null, indent);
      expect(elementTexts(json)?.map((text) => JSON.parse(text) as unknown)).toEqual(JSON.parse(json));
      expect(memberTexts(json)).toBeNull();
      const object = `{"list":${json}, "n":1.0}`;
      expect([...(memberTexts(object) ?? [])]).toEqual([
        ['list', json],
        ['n', '1.0'],
      ]);
    });
    fc.assert(property, { numRuns: 300 });
  });
});
