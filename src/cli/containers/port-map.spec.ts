import { mapPorts, parsePortRequest } from './port-map.js';

const wish = (text: string) => parsePortRequest(text)!;

describe('Ports of a container', () => {
  it('have the same number on this machine unless told otherwise', () => {
    expect(mapPorts([9100, 9200], [wish('9200=9300')])).toEqual([
      { container: 9100, host: 9100 },
      { container: 9200, host: 9300 },
    ]);
  });

  it('may be exchanged', () => {
    const pairs = mapPorts([9100, 9200], [wish('9100=9200'), wish('9200=9100')]);
    expect(pairs.map(({ host }) => host)).toEqual([9200, 9100]);
  });

  it('need no name where there is only one', () => {
    expect(mapPorts([9100], [wish('80')])).toEqual([{ container: 9100, host: 80 }]);
  });

  it.each([
    [[9100, 9200], ['9300'], '9100=9300'],
    [[9100], ['9101=9300'], 'no port 9101'],
    [[9100], ['9100=1', '9100=2'], 'given twice'],
    [[9100, 9200], ['9100=9200'], 'Two ports'],
  ])('%j cannot be had as %j', (ports, wishes, reason) => {
    expect(() => mapPorts(ports, wishes.map(wish))).toThrow(reason);
  });

  it.each(['', '0', '65536', '9100=0', '9100=70000', '=1', '1=', '1=2=3', '0x10', '127.0.0.1:80'])(
    'are not named by %j',
    (text) => {
      expect(parsePortRequest(text)).toBeNull();
    },
  );
});
