//! A relay and a gateway of Oblivious HTTP (RFC 9458), for tests and small trials of reports.
//!
//! ```sh
//! brrkit-ohttp gateway 127.0.0.1:8444 gateway.key http://127.0.0.1:8443/v1/reports
//! brrkit-ohttp relay 127.0.0.1:8445 http://127.0.0.1:8444/
//! ```
//!
//! Neither logs or stores anything that comes in. Put TLS in front of each: `docs/how-to/hide-who-sends.md`.

mod gateway;
mod relay;
mod sender;

use std::{env, error::Error, net::SocketAddr, process::exit};

use axum::{
    Router,
    http::{HeaderMap, header},
};
use tokio::net::TcpListener;

/// Of requests that are encapsulated, and of their answers.
const REQUEST: &str = "message/ohttp-req";
const RESPONSE: &str = "message/ohttp-res";

const USAGE: &str = "usage: brrkit-ohttp gateway ADDRESS KEY RECEIVER
       brrkit-ohttp relay ADDRESS GATEWAY [FROM]

ADDRESS   where it listens, such as 127.0.0.1:8444; port 0 is a free one
KEY       file of the gateway's secret; made if missing
RECEIVER  its URL; the only one that batches are passed on to
GATEWAY   its URL
FROM      address of this machine that the relay connects from";

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let given: Vec<String> = env::args().skip(1).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let (address, app) = match given[..] {
        ["gateway", address, key, receiver] => (address, gateway::app(key, receiver)),
        ["relay", address, gateway] => (address, relay::app(gateway, None)),
        ["relay", address, gateway, from] => (address, relay::app(gateway, Some(from))),
        _ => {
            eprintln!("{USAGE}");
            exit(2)
        }
    };
    let served = match app {
        Ok(app) => serve(address, app).await,
        Err(failure) => Err(failure),
    };
    if let Err(failure) = served {
        eprintln!("Error: {failure}");
        exit(1)
    }
}

async fn serve(address: &str, app: Router) -> Result<(), Failure> {
    let address: SocketAddr = address
        .parse()
        .map_err(|_| format!("{address}: not an address; give one such as 127.0.0.1:8444"))?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|failure| format!("{address}: {failure}; give another address"))?;
    println!("Listening at http://{}/", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

fn has_type(headers: &HeaderMap, kind: &str) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|value| value == kind)
}
