// Stands in for a BIRD whose replies are out of order. Arguments: the socket, what it does.
import { createServer } from 'node:net';

const [, , path, reply] = process.argv;
const heading = '2002-name     proto    table    state  since       info\n';
const row = '1002-Mesh_10_0_0_1 BGP      master   up     00:00:01    Established   \n';
const replies = {
  heading: '2002-name proto table state since\n0000 \n',
  line: `${heading}${row}9001 syntax error\n`,
};

createServer((socket) => {
  socket.on('error', () => undefined);
  socket.write('0001 BIRD 1.6.8 ready.\n');
  socket.on('data', () => {
    if (reply === 'closes') socket.end(heading + row);
    else if (reply !== 'silent') socket.write(replies[reply]);
  });
}).listen(path);
