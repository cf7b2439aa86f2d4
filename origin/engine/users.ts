import type { NamedByHour } from "./name-counts.ts";
import { NONE } from "./order-slab.ts";
import type { Reference } from "./references.ts";

/** Everybody the engine has heard of: who was given money, or was frozen. */
export type Users = { readonly byName: Map<string, User>; readonly all: User[] };

export type User = {
  readonly name: string;
  readonly index: number;
  isFrozen: boolean;
  isTouched: boolean;
  /** By currency: the account, or `NONE`. */
  readonly accounts: number[];
  openOrders: number;
  /** By pair: the oldest and the youngest open order, or `NONE`. */
  readonly oldestOpen: number[];
  readonly youngestOpen: number[];
  /** By client order id. */
  readonly orderNames: Map<string, Reference>;
  /** By kind and reference. */
  readonly movementNames: Map<string, Reference>;
  readonly namedByHour: NamedByHour;
};

export function createUsers(): Users {
  return { byName: new Map(), all: [] };
}

export function userNamed(users: Users, name: string): User {
  return users.byName.get(name) ?? addUser(users, name);
}

function addUser(users: Users, name: string): User {
  const user: User = {
    name,
    index: users.all.length,
    isFrozen: false,
    isTouched: false,
    accounts: [],
    openOrders: 0,
    oldestOpen: [],
    youngestOpen: [],
    orderNames: new Map(),
    movementNames: new Map(),
    namedByHour: [],
  };
  users.byName.set(name, user);
  users.all.push(user);
  return user;
}

/** Lists by currency or pair are as long as they have to be. */
export function setAt(list: number[], index: number, value: number): void {
  while (list.length <= index) list.push(NONE);
  list[index] = value;
}
