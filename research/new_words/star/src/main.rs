//! A whole run of STAR on one machine: every phone, the randomness server and the aggregation server.
//!
//! `star THRESHOLD` reads a line for each phone, its word, and prints JSON: the words that were
//! recovered with their counts, a message's bytes, and each side's seconds of processor time, all
//! phones together.

use std::collections::HashMap;
use std::io::{stdin, BufRead};
use std::time::Duration;

use cpu_time::ThreadTime;
use ppoprf::ppoprf::{Client, Point, Server};
use sta_rs::{derive_ske_key, share_recover, Message, MessageGenerator, Share, SingleMeasurement};

const EPOCH: u8 = 0;

fn main() {
    let threshold: u32 = std::env::args()
        .nth(1)
        .expect("a threshold")
        .parse()
        .expect("a number");
    let words: Vec<String> = stdin()
        .lock()
        .lines()
        .map(|line| line.expect("text"))
        .collect();
    let server = Server::new(vec![EPOCH]).expect("a key");
    let public = server.get_public_key();
    let (mut client, mut randomness) = (Duration::ZERO, Duration::ZERO);
    let mut messages = Vec::new();
    for word in &words {
        let start = ThreadTime::now();
        let (blinded, scalar) = Client::blind(word.as_bytes());
        client += start.elapsed();
        let start = ThreadTime::now();
        let evaluation = server
            .eval(&blinded, EPOCH, true)
            .expect("an epoch of the key");
        randomness += start.elapsed();
        let start = ThreadTime::now();
        assert!(Client::verify(&public, &blinded, &evaluation, EPOCH));
        let unblinded: Point = Client::unblind(&evaluation.output, &scalar);
        let mut random = [0u8; 32];
        Client::finalize(word.as_bytes(), EPOCH, &unblinded, &mut random);
        let measurement = SingleMeasurement::new(word.as_bytes());
        let generator = MessageGenerator::new(measurement, threshold, &[EPOCH]);
        let message = Message::generate(&generator, &random, None).expect("a message");
        messages.push(message.to_bytes());
        client += start.elapsed();
    }
    let start = ThreadTime::now();
    let found = recovered(&messages, threshold as usize);
    let aggregation = start.elapsed();
    let mut entries: Vec<String> = found
        .iter()
        .map(|(word, count)| format!("{word:?}: {count}"))
        .collect();
    entries.sort();
    println!(
        "{{\"bytes\": {}, \"client\": {}, \"randomness\": {}, \"aggregation\": {}, \"found\": {{{}}}}}",
        messages.iter().map(Vec::len).max().unwrap_or(0),
        client.as_secs_f64(),
        randomness.as_secs_f64(),
        aggregation.as_secs_f64(),
        entries.join(", ")
    );
}

/// Returns the words of at least `threshold` messages, with how many there are of each.
fn recovered(messages: &[Vec<u8>], threshold: usize) -> HashMap<String, usize> {
    let mut together: HashMap<Vec<u8>, Vec<Message>> = HashMap::new();
    for bytes in messages {
        let message = Message::from_bytes(bytes).expect("a message");
        together
            .entry(message.tag.clone())
            .or_default()
            .push(message);
    }
    let mut found = HashMap::new();
    for alike in together.values().filter(|alike| alike.len() >= threshold) {
        let shares: Vec<Share> = alike.iter().map(|message| message.share.clone()).collect();
        let secret = share_recover(&shares[..threshold])
            .expect("enough shares")
            .get_message();
        let mut key = [0u8; 16];
        derive_ske_key(&secret, &[EPOCH], &mut key);
        for message in alike {
            let plain = message.ciphertext.decrypt(&key, "star_encrypt");
            // Its length as 4 bytes, the word, and associated data, of which there are none.
            let length = u32::from_le_bytes(plain[..4].try_into().expect("4 bytes")) as usize;
            let word = String::from_utf8(plain[4..4 + length].to_vec()).expect("text");
            *found.entry(word).or_insert(0) += 1;
        }
    }
    found
}
